"""Slack as a platform: digests as Block Kit messages, each posted exactly once."""

from bot.platforms.slack.messenger import API_URL, NAME, SlackMessenger, connect

__all__ = ["API_URL", "NAME", "SlackMessenger", "connect"]
