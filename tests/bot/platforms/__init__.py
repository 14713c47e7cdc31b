"""Tests of the chat platforms."""
