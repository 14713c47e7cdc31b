"""What the bot needs in a channel, and what it lacks there, in the words of Discord's own settings."""

from __future__ import annotations

import discord

_NAMES = {
    "view_channel": "View Channel",
    "send_messages": "Send Messages",
    "send_messages_in_threads": "Send Messages in Threads",
    "create_public_threads": "Create Public Threads",
    "read_message_history": "Read Message History",
}


def lacking_to_post(held: discord.Permissions, *, in_thread: bool) -> tuple[str, ...]:
    """The permissions without which nothing can be posted in a channel, or in a thread."""
    return _lacking(held, "view_channel", "send_messages_in_threads" if in_thread else "send_messages")


def lacking(held: discord.Permissions, *, in_thread: bool) -> tuple[str, ...]:
    """All that the bot lacks, those included without which a digest stands less well there."""
    threads = () if in_thread else ("send_messages_in_threads", "create_public_threads")
    return (*lacking_to_post(held, in_thread=in_thread), *_lacking(held, "read_message_history", *threads))


def to_mend(names: tuple[str, ...]) -> str:
    """What somebody has to do."""
    return f"allow my role {' and '.join(names)} there: Edit Channel, Permissions"


def _lacking(held: discord.Permissions, *names: str) -> tuple[str, ...]:
    return tuple(_NAMES[name] for name in names if not (held.administrator or getattr(held, name)))
