"""Paperround's touch with the world: command line, fetching, platforms, the service."""
