"""Contract of the audit, and of several changes that happen together."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
import sqlite_utils

from digests.changes import Change
from digests.errors import ConflictError, UnknownError
from storage.migrations import migrations
from storage.rows import channel_row
from storage.store import DatabaseStore, open_store
from tests.storage.examples import BIO, ML, NOW, a_channel, a_subscription

RAISED = Change(
    ML, "slack:U1", "settings", NOW, (("papers", "10"),), (("papers", "15"), ("empty", "“silent”"))
)


def test_change_comes_back_as_it_was(store: DatabaseStore) -> None:
    """Who, what, when, before and after are kept, facts in their order."""
    kept = store.audit.add(RAISED)
    assert kept == replace(RAISED, id=kept.id)
    assert store.audit.get(kept.id) == kept


def test_unknown_change_is_refused(store: DatabaseStore) -> None:
    """An id that was never given is named."""
    with pytest.raises(UnknownError, match="no change 7"):
        store.audit.get(7)


def test_latest_change_comes_first(store: DatabaseStore) -> None:
    """The latest stand first, of all channels or of one, and no more than asked for."""
    store.channels.add(a_channel())
    made = [
        store.audit.add(replace(RAISED, at=NOW + timedelta(n), channel=(ML, BIO)[n % 2])) for n in range(5)
    ]
    assert store.audit.latest() == tuple(reversed(made))
    assert store.audit.latest(BIO) == (made[3], made[1])
    assert store.audit.latest(limit=1) == (made[4],)


def test_change_outlives_its_channel(store: DatabaseStore) -> None:
    """That somebody removed a channel is told after it is gone."""
    store.channels.add(a_channel())
    store.audit.add(RAISED)
    store.channels.remove(ML)
    assert len(store.audit.latest(ML)) == 1


def test_managers_and_thread_come_back(store: DatabaseStore) -> None:
    """Who may manage a channel, and whether its long digests go into a thread, are kept."""
    store.channels.add(a_channel(managers=("U024BE7LH", "S0614TZR7"), thread=False))
    assert store.channels.get(ML).managers == ("U024BE7LH", "S0614TZR7")
    assert not store.channels.get(ML).thread


def twice(store: DatabaseStore) -> None:
    """Two changes together, and a third that is refused."""
    with store.together():
        store.audit.add(RAISED)
        store.subscriptions.add(a_subscription())
        store.subscriptions.add(a_subscription())


def test_what_stands_together_happens_whole_or_not_at_all(store: DatabaseStore) -> None:
    """A failure after two changes leaves neither; without a failure both are there."""
    store.channels.add(a_channel())
    with pytest.raises(ConflictError):
        twice(store)
    assert not store.audit.latest()
    assert not store.subscriptions.of([ML])[ML]
    with store.together():
        store.audit.add(RAISED)
        store.subscriptions.add(a_subscription())
    assert len(store.audit.latest()) == len(store.subscriptions.of([ML])[ML]) == 1


def test_database_from_before_the_audit_is_brought_up(tmp_path: Path) -> None:
    """Channels that were there keep their settings; everybody may manage them, and threads are on."""
    path = tmp_path / "old.db"
    old = sqlite_utils.Database(path)
    migrations.apply(old, stop_before="audit_and_managers")
    known = {column.name for column in old.table("channels").columns}
    row = {name: value for name, value in channel_row(a_channel()).items() if name in known}
    old.table("channels").insert(row)
    old.conn.close()
    with closing(open_store(path)) as store:
        assert store.channels.get(ML) == a_channel()
        assert store.audit.latest() == ()
