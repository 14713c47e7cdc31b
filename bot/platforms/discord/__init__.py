"""Discord as a platform: digests as Components V2, posted exactly once, over discord.py."""

from bot.platforms.discord.client import connect
from bot.platforms.discord.messenger import DiscordMessenger
from bot.platforms.discord.render import render

__all__ = ["NAME", "DiscordMessenger", "connect", "render"]

NAME = "discord"
