"""Benchmarks: each module prints the figures that it measures when run with `python -m`."""
