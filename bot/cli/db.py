"""Commands that migrate, check, back up and restore the database."""

from __future__ import annotations

from pathlib import Path

import typer

from bot.cli import show

app = typer.Typer(
    no_args_is_help=True, add_completion=False, help="Migrate, check, back up and restore the database."
)


@app.command()
def migrate() -> None:
    """Bring the database to this version's tables; every other command does it too.

    Example: paperround db migrate
    """
    from bot.app import opened

    with opened() as paperround:
        path = paperround.settings.db
    show.say(f"{path} is up to date.")


@app.command()
def check() -> None:
    """Look for damage: pages, indexes, references.

    Example: paperround db check
    """
    from bot.app import check_database

    faults = check_database()
    if faults:
        for fault in faults:
            show.say(fault, "red")
        show.say("Restore a backup with: paperround db restore FILE")
        raise typer.Exit(show.FAILED)
    show.say("The database is sound.")


@app.command()
def backup(file: Path = typer.Argument(help="Where the copy goes; it must not exist yet.")) -> None:
    """Copy the database to a file, also while the service runs.

    Example: paperround db backup paperround-2026-12-01.db
    """
    from bot.app import back_up_database

    back_up_database(file)
    show.say(f"Saved {file}; restore it with: paperround db restore {file}")


@app.command()
def restore(file: Path = typer.Argument(help="A copy that `db backup` made.")) -> None:
    """Put a backup in the database's place; what was there is kept beside it. Stop the service first.

    Example: paperround db restore paperround-2026-12-01.db
    """
    from bot.app import restore_database

    kept = restore_database(file)
    show.say(f"The database is now {file}" + (f"; what was there is in {kept}" if kept else "") + ".")
