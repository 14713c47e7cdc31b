"""Fuzzing: what strangers send, damaged at random, goes through the product, and must do no harm there."""
