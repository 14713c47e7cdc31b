"""Who may give which command: one table, for every platform alike."""

from __future__ import annotations

from digests.channel import ChannelId
from digests.commands import Caller
from digests.verbs import Who


def may_manage(caller: Caller, channel: ChannelId, managers: tuple[str, ...]) -> bool:
    """Whether somebody may change a channel whose settings name these people and groups, () for nobody."""
    return not refused(Who.MANAGER, caller, channel, managers)


def refused(who: Who, caller: Caller, channel: ChannelId, managers: tuple[str, ...] = ()) -> str:
    """Why somebody may not give a command that is `who`'s, in one sentence; "" if they may.

    The first row that fits counts.
    """
    is_foreign = (caller.platform, caller.workspace) != (channel.platform, channel.workspace)
    rows = (
        (Who.MEMBER, caller.is_bot, "Bots cannot give me commands."),
        (Who.MEMBER, is_foreign, "Only people of this channel's own workspace can give me commands here."),
        (Who.MANAGER, caller.is_guest, "Guests cannot change this channel's digests: ask a full member to."),
        (
            Who.MANAGER,
            not _manages(caller, managers),
            "Only this channel's managers can do that: ask one of them.",
        ),
    )
    for least, is_so, sentence in rows:
        if is_so and (least is Who.MEMBER or who is Who.MANAGER):
            return sentence
    return ""


def _manages(caller: Caller, managers: tuple[str, ...]) -> bool:
    if not ({caller.user} | caller.groups).isdisjoint(managers):
        return True
    return caller.can_manage or (caller.members_manage and not managers)
