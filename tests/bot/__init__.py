"""Tests of the package bot."""
