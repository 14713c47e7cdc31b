"""How an SQLite database of Paperround came to have its tables, step by step.

A step that has been released is never changed; the next change of a table is the next step.
Times are texts of equal width, so that they sort; see `rows`.
The words of `paper_text` are those of `digests.terms.index_text`: a tokenizer has only to split at spaces.
"""

from __future__ import annotations

import sqlite3

import sqlite_utils
from sqlite_utils import Migrations

from digests.dedupe import look
from digests.errors import StorageError
from digests.paper import is_weak, keys
from digests.terms import index_text
from storage.rows import key_number, look_row, paper_from

migrations = Migrations("paperround")


@migrations()
def first_tables(db: sqlite_utils.Database) -> None:
    """Feeds, papers and their text, channels, subscriptions, the outbox."""
    db.executescript(
        """
        CREATE TABLE feeds (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            name TEXT NOT NULL UNIQUE,
            url TEXT NOT NULL UNIQUE,
            format TEXT NOT NULL,
            title TEXT NOT NULL,
            is_list INTEGER NOT NULL,
            every INTEGER NOT NULL,
            paused INTEGER NOT NULL,
            added TEXT,
            etag TEXT NOT NULL,
            last_modified TEXT NOT NULL,
            due TEXT,
            last_check TEXT,
            last_good TEXT,
            last_new TEXT,
            last_count INTEGER NOT NULL,
            last_error TEXT NOT NULL,
            failures INTEGER NOT NULL
        );
        CREATE TABLE papers (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            title TEXT NOT NULL,
            abstract TEXT NOT NULL,
            authors TEXT NOT NULL,
            identifiers TEXT NOT NULL,
            links TEXT NOT NULL,
            published TEXT NOT NULL,
            venue TEXT NOT NULL,
            categories TEXT NOT NULL,
            version INTEGER NOT NULL,
            guid TEXT NOT NULL,
            announce TEXT NOT NULL,
            first_seen TEXT NOT NULL
        );
        CREATE INDEX papers_first_seen ON papers (first_seen);
        CREATE VIRTUAL TABLE paper_text USING fts5 (
            title, abstract, authors, tokenize = "ascii", detail = "column", columnsize = 0
        );
        INSERT INTO paper_text (paper_text, rank) VALUES ('hashsize', 16777216); -- 1 MB: a third slower
        CREATE TABLE paper_keys (
            key TEXT PRIMARY KEY,
            paper INTEGER NOT NULL REFERENCES papers (id) ON DELETE CASCADE
        ) WITHOUT ROWID;
        CREATE INDEX paper_keys_paper ON paper_keys (paper);
        CREATE TABLE absorbed_papers (
            id INTEGER PRIMARY KEY,
            paper INTEGER NOT NULL REFERENCES papers (id) ON DELETE CASCADE
        );
        CREATE INDEX absorbed_papers_paper ON absorbed_papers (paper);
        CREATE TABLE sightings (
            paper INTEGER NOT NULL REFERENCES papers (id) ON DELETE CASCADE,
            feed INTEGER NOT NULL REFERENCES feeds (id) ON DELETE CASCADE,
            first_at TEXT NOT NULL,
            last_at TEXT NOT NULL,
            announce TEXT NOT NULL,
            PRIMARY KEY (paper, feed)
        ) WITHOUT ROWID;
        CREATE INDEX sightings_feed ON sightings (feed);
        CREATE TABLE summaries (
            paper INTEGER NOT NULL REFERENCES papers (id) ON DELETE CASCADE,
            method TEXT NOT NULL,
            sentences TEXT NOT NULL,
            PRIMARY KEY (paper, method)
        ) WITHOUT ROWID;
        CREATE TABLE channels (
            id TEXT PRIMARY KEY,
            platform TEXT NOT NULL,
            time TEXT NOT NULL,
            days TEXT NOT NULL,
            zone TEXT NOT NULL,
            holidays TEXT NOT NULL,
            name TEXT NOT NULL,
            size INTEGER NOT NULL,
            layout TEXT NOT NULL,
            empty_day TEXT NOT NULL,
            language TEXT NOT NULL,
            paused INTEGER NOT NULL,
            paused_until TEXT,
            added TEXT,
            since TEXT
        ) WITHOUT ROWID;
        CREATE TABLE subscriptions (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            channel TEXT NOT NULL REFERENCES channels (id) ON DELETE CASCADE,
            name TEXT NOT NULL,
            query TEXT NOT NULL,
            cadence TEXT NOT NULL,
            "limit" INTEGER NOT NULL,
            feeds TEXT NOT NULL,
            added TEXT,
            last_turn TEXT,
            UNIQUE (channel, name)
        );
        CREATE TABLE editions (
            channel TEXT NOT NULL REFERENCES channels (id) ON DELETE CASCADE,
            day TEXT NOT NULL,
            digest TEXT NOT NULL,
            made TEXT NOT NULL,
            PRIMARY KEY (channel, day)
        );
        CREATE INDEX editions_day ON editions (day);
        CREATE TABLE messages (
            channel TEXT NOT NULL,
            day TEXT NOT NULL,
            part INTEGER NOT NULL,
            parts INTEGER NOT NULL,
            payload TEXT NOT NULL,
            stage TEXT NOT NULL,
            attempts INTEGER NOT NULL,
            sending_since TEXT,
            leased_until TEXT,
            not_before TEXT,
            receipt TEXT NOT NULL,
            sent_at TEXT,
            error TEXT NOT NULL,
            PRIMARY KEY (channel, day, part),
            FOREIGN KEY (channel, day) REFERENCES editions (channel, day) ON DELETE CASCADE
        );
        CREATE INDEX messages_open ON messages (channel, day, part) WHERE stage IN ('waiting', 'sending');
        CREATE INDEX messages_day ON messages (day);
        CREATE TABLE shown (
            channel TEXT NOT NULL REFERENCES channels (id) ON DELETE CASCADE,
            paper INTEGER NOT NULL REFERENCES papers (id) ON DELETE CASCADE,
            day TEXT NOT NULL,
            PRIMARY KEY (channel, paper)
        ) WITHOUT ROWID;
        CREATE INDEX shown_paper ON shown (paper);
        """
    )


@migrations()
def audit_and_managers(db: sqlite_utils.Database) -> None:
    """Who changed what; who may change a channel, and where its long digests go on.

    An audit row outlives its channel, so it references none.
    """
    db.executescript(
        """
        CREATE TABLE audit (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            channel TEXT NOT NULL,
            who TEXT NOT NULL,
            what TEXT NOT NULL,
            at TEXT NOT NULL,
            "before" TEXT NOT NULL,
            "after" TEXT NOT NULL
        );
        CREATE INDEX audit_channel ON audit (channel, id);
        ALTER TABLE channels ADD COLUMN thread INTEGER NOT NULL DEFAULT 1;
        ALTER TABLE channels ADD COLUMN managers TEXT NOT NULL DEFAULT '[]';
        """
    )


@migrations()
def refusals(db: sqlite_utils.Database) -> None:
    """Which channels take no posts."""
    db.executescript(
        """
        ALTER TABLE channels ADD COLUMN refused_since TEXT;
        ALTER TABLE channels ADD COLUMN refusals INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE channels ADD COLUMN retry_at TEXT;
        ALTER TABLE channels ADD COLUMN refusal TEXT NOT NULL DEFAULT '';
        ALTER TABLE channels ADD COLUMN refusal_hint TEXT NOT NULL DEFAULT '';
        """
    )


@migrations()
def health(db: sqlite_utils.Database) -> None:
    """How each feed has fared lately."""
    db.executescript(
        """
        ALTER TABLE feeds ADD COLUMN status INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE feeds ADD COLUMN error_at TEXT;
        ALTER TABLE feeds ADD COLUMN back_at TEXT;
        ALTER TABLE feeds ADD COLUMN batch TEXT NOT NULL DEFAULT '';
        ALTER TABLE feeds ADD COLUMN batch_at TEXT;
        ALTER TABLE feeds ADD COLUMN gap INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE feeds ADD COLUMN whole TEXT;
        ALTER TABLE feeds ADD COLUMN days TEXT NOT NULL DEFAULT '[]';
        """
    )


@migrations()
def looks(db: sqlite_utils.Database) -> None:
    """What sightings show of their works, so that those without identifiers are compared with each other."""
    db.executescript(
        """
        CREATE TABLE looks (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            paper INTEGER NOT NULL REFERENCES papers (id) ON DELETE CASCADE,
            title TEXT NOT NULL,
            author TEXT NOT NULL,
            year INTEGER NOT NULL,
            beginning TEXT NOT NULL
        );
        CREATE INDEX looks_paper ON looks (paper);
        CREATE TABLE look_keys (
            key INTEGER NOT NULL,
            look INTEGER NOT NULL, -- of a paper that is gone there is none: its keys lead nowhere
            PRIMARY KEY (key, look)
        ) WITHOUT ROWID;
        CREATE TABLE publications (
            paper INTEGER PRIMARY KEY REFERENCES papers (id) ON DELETE CASCADE,
            place TEXT NOT NULL,
            at TEXT NOT NULL
        );
        """
    )
    for row in db.query("SELECT * FROM papers"):
        paper = paper_from(row, ())
        added = db.table("looks").insert({"paper": paper.id, **look_row(look(paper))}).last_pk
        weak = [(key_number(key), added) for key in keys(paper) if is_weak(key)]
        db.conn.executemany("INSERT INTO look_keys (key, look) VALUES (?, ?)", weak)
    db.execute("DELETE FROM paper_keys WHERE key GLOB 'url:*' OR key GLOB 'text:*'")


@migrations()
def shelf_and_parting(db: sqlite_utils.Database) -> None:
    """A mark that changes with the papers that may be shown; the dates of channels that were removed.

    Triggers set it, so that nothing which writes can forget to, and each process sees what another stored.
    It is random, lest a change after one that was undone give the same.
    """
    db.executescript(
        """
        CREATE TABLE papers_mark (mark INTEGER NOT NULL);
        INSERT INTO papers_mark (mark) VALUES (0);
        CREATE TABLE parted (
            channel TEXT NOT NULL,
            day TEXT NOT NULL,
            PRIMARY KEY (channel, day)
        ) WITHOUT ROWID;
        """
    )
    for name, event in _CHANGES_OF_PAPERS.items():
        db.execute(f"CREATE TRIGGER {name} AFTER {event} BEGIN UPDATE papers_mark SET mark = random(); END")


_CHANGES_OF_PAPERS = {
    "paper_added": "INSERT ON papers",
    "paper_changed": "UPDATE ON papers",
    "paper_removed": "DELETE ON papers",
    "sighting_added": "INSERT ON sightings",
    "sighting_moved": "UPDATE OF first_at ON sightings",
    "sighting_removed": "DELETE ON sightings",
    "feed_changed": (
        "UPDATE OF name, is_list ON feeds WHEN old.name <> new.name OR old.is_list <> new.is_list"
    ),
}


@migrations()
def publications_told_and_threads(db: sqlite_utils.Database) -> None:
    """Which publications each channel was told of; whether an edition's later messages go into a thread.

    What has come out by now counts as told: nobody wants the news of months at once.
    """
    db.executescript(
        """
        ALTER TABLE editions ADD COLUMN thread INTEGER NOT NULL DEFAULT 1;
        ALTER TABLE shown ADD COLUMN told TEXT;
        UPDATE shown SET told = day WHERE paper IN (SELECT paper FROM publications);
        """
    )


@migrations()
def feeds_held(db: sqlite_utils.Database) -> None:
    """Which feeds a process is reading, and until when it keeps them."""
    db.execute("ALTER TABLE feeds ADD COLUMN held_until TEXT")


@migrations()
def papers_indexed_anew(db: sqlite_utils.Database) -> None:
    """German and French plurals share the stems of their singulars now: the words of all papers again."""
    db.execute("DELETE FROM paper_text")
    words = (
        (paper.id, index_text(paper.title), index_text(paper.abstract), index_text(" ".join(paper.authors)))
        for paper in (paper_from(row, ()) for row in db.query("SELECT * FROM papers"))
    )
    db.conn.executemany("INSERT INTO paper_text (rowid, title, abstract, authors) VALUES (?, ?, ?, ?)", words)


def migrate(connection: sqlite3.Connection, path: str) -> None:
    """Bring a database to the present tables; StorageError if it is another program's, or too new."""
    db = sqlite_utils.Database(connection, recursive_triggers=False, execute_plugins=False)
    recognize(db, path)
    if not migrations.pending(db):
        return
    connection.execute(
        "BEGIN IMMEDIATE"
    )  # another process may be at it as well: it waits here, then sees ours
    try:
        migrations.apply(db)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def recognize(db: sqlite_utils.Database, path: str) -> None:
    """StorageError unless the database is empty, or Paperround's and not newer than this program."""
    applied = {step.name for step in migrations.applied(db)}
    if not applied and db.table_names():
        raise StorageError(
            f"{path!r} is a database of another program",
            "name another file with PAPERROUND_DB, or move this one away",
        )
    fresh = sqlite_utils.Database(memory=True, execute_plugins=False)
    if newer := applied - {step.name for step in migrations.pending(fresh)}:
        raise StorageError(
            f"{path!r} was written by a newer Paperround (it has {min(newer)!r})",
            "install that version again, or go back with: paperround db restore BACKUP",
        )
