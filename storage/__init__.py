"""What Paperround remembers: the repositories of the core, kept in a database.

`store.open_store(path)` gives all of them; everything else here is its inside:

    store          opens a database and holds its repositories
    feeds papers channels subscriptions outbox     one repository each, SQL that engines share
    intake         takes papers in: looks up, lets `digests.dedupe` decide, writes
    rows           rows of the tables <-> values of the core
    database       the seam: what a repository may ask of an engine
    sqlite migrations backup                       all that is SQLite's own
"""
