"""Tests of the package digests."""
