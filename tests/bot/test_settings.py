"""Tests of the settings: each wrong one is named with an example, and no token is ever shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.platforms import chosen
from bot.settings import Settings, load_settings, unknown_variables
from digests.errors import InputError

SLACK = {"SLACK_BOT_TOKEN": "xoxb-1-secretsecret", "SLACK_APP_TOKEN": "xapp-1-secretsecret"}


@pytest.fixture(autouse=True)
def clean(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No variable and no `.env` of this machine reaches the test."""
    monkeypatch.chdir(tmp_path)
    for name in Settings.model_fields:
        monkeypatch.delenv(f"PAPERROUND_{name.upper()}", raising=False)


def load(monkeypatch: pytest.MonkeyPatch, **variables: str) -> Settings:
    """The settings with these variables, named without their prefix."""
    for name, value in variables.items():
        monkeypatch.setenv(f"PAPERROUND_{name}", value)
    return load_settings()


@pytest.mark.parametrize(
    ("variables", "served"),
    [
        ({}, ("console",)),
        (SLACK, ("slack",)),
        ({"SLACK_BOT_TOKEN": "xoxb-1-secretsecret", "SLACK_SIGNING_SECRET": "0123abcd"}, ("slack",)),
        ({"DISCORD_TOKEN": "bot.token.secret"}, ("discord",)),
        (SLACK | {"DISCORD_TOKEN": '"bot.token.secret"'}, ("discord", "slack")),
        ({"DISCORD_TOKEN": ""}, ("console",)),
    ],
)
def test_a_platform_is_served_when_its_token_is_set(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], served: tuple[str, ...]
) -> None:
    """The terminal is served where no token is set."""
    assert chosen(load(monkeypatch, **variables)) == served


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        (
            {"SLACK_BOT_TOKEN": "xapp-1-secretsecret"},
            ["PAPERROUND_SLACK_BOT_TOKEN", "xoxb-", "this is xapp-"],
        ),
        (
            {"SLACK_APP_TOKEN": "xoxb-1-secretsecret"},
            ["PAPERROUND_SLACK_APP_TOKEN", "xapp-", "Basic Information"],
        ),
        (
            {"SLACK_BOT_TOKEN": "xoxb-1-secretsecret"},
            ["PAPERROUND_SLACK_APP_TOKEN=", "PAPERROUND_SLACK_SIGNING_SECRET="],
        ),
        (
            {"SLACK_APP_TOKEN": "xapp-1-secretsecret"},
            ["PAPERROUND_SLACK_APP_TOKEN is set", "PAPERROUND_SLACK_BOT_TOKEN="],
        ),
        (
            {"SLACK_SIGNING_SECRET": "secretsecret"},
            ["PAPERROUND_SLACK_SIGNING_SECRET is set", "PAPERROUND_SLACK_BOT_TOKEN="],
        ),
        (
            {"DISCORD_TOKEN": "a secretsecret token"},
            ["PAPERROUND_DISCORD_TOKEN", "an example: PAPERROUND_DISCORD_TOKEN="],
        ),
        ({"SLACK_API_URL": "slack.com"}, ["PAPERROUND_SLACK_API_URL", "https://", "an example"]),
        ({"DISCORD_GATEWAY_URL": "https://discord.com"}, ["PAPERROUND_DISCORD_GATEWAY_URL", "wss://"]),
        ({"LOG": "loud"}, ["PAPERROUND_LOG", "'loud'", "warning", "json", "an example: PAPERROUND_LOG="]),
    ],
)
def test_each_error_names_the_variable_and_an_example(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], said: list[str]
) -> None:
    """A wrong variable, a token in another's place, half of a pair; the token itself is not repeated."""
    with pytest.raises(InputError) as caught:
        load(monkeypatch, **variables)
    assert not [word for word in said if word not in str(caught.value)], str(caught.value)
    assert "secretsecret" not in f"{caught.value!r} {caught.value.__cause__!r}"


def test_settings_show_no_token(monkeypatch: pytest.MonkeyPatch) -> None:
    """Printed settings hold stars in a token's place, and `secrets` knows them all."""
    found = load(
        monkeypatch, **SLACK, DISCORD_TOKEN="Bot discord.secret.token", SLACK_SIGNING_SECRET="0123abcd"
    )
    assert set(found.secrets) == {*SLACK.values(), "discord.secret.token", "0123abcd"}
    assert not [secret for secret in found.secrets if secret in f"{found} {found!r} {found.model_dump()}"]


def test_a_file_can_hold_the_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`.env` is read where it is; what the environment says counts more."""
    (tmp_path / ".env").write_text("PAPERROUND_LOG=debug json\nPAPERROUND_CONTACT=a@lab.example\n")
    found = load(monkeypatch, CONTACT="b@lab.example")
    assert (found.level, found.form, found.contact) == ("debug", "json", "b@lab.example")


def test_a_file_that_is_no_text_is_named(tmp_path: Path) -> None:
    """A `.env` in another encoding is one clear line."""
    (tmp_path / ".env").write_bytes(b"PAPERROUND_CONTACT=\xff\xfe\n")
    with pytest.raises(InputError, match=r"'\.env' cannot be read"):
        load_settings()


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("PAPERROUND_LOG=info\nPAPERROUND_DISCORD_TOKEN secretsecret\n", 2),
        ("# ours\n\nPAPERROUND_CONTACT\n", 3),
        ("PAPERROUND_CONTACT='a@lab.example\n", 1),
        ("PAPERROUND_SLACK_BOT_TOKEN: xoxb-secretsecret\n", 1),
    ],
)
def test_a_line_that_sets_nothing_is_named(tmp_path: Path, text: str, line: int) -> None:
    """Its number and an example, and not what it holds: that may be a token."""
    (tmp_path / ".env").write_text(text)
    with pytest.raises(InputError) as caught:
        load_settings()
    assert f"line {line} of '.env' sets nothing" in str(caught.value)
    assert "PAPERROUND_CONTACT=papers@lab.example" in str(caught.value)
    assert "secretsecret" not in f"{caught.value!r} {caught.value.__cause__!r}"


def test_lines_of_other_programs_are_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Comments, `export`, and names that are not ours stop nothing; a misspelt one of ours is found."""
    (tmp_path / ".env").write_text("# c\nexport PAPERROUND_LOG=debug\nOTHER\nPAPERROUND_LGO=info\n")
    assert load(monkeypatch).level == "debug"
    assert list(unknown_variables()) == ["PAPERROUND_LGO"]


def test_misspelt_variables_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """What begins like ours and means nothing is worth a word."""
    monkeypatch.setenv("PAPERROUND_DISCORD_TOKN", "x")
    monkeypatch.setenv("PAPERROUND_CLOCK_OFFSET", "0")
    assert list(unknown_variables()) == ["PAPERROUND_DISCORD_TOKN"]


def test_the_database_may_lie_in_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`~` is not opened by a unit file or by `.env`; a stranger's home that is not known is an error."""
    monkeypatch.setenv("HOME", str(tmp_path))
    assert load(monkeypatch, DB="~/papers.db").db == tmp_path / "papers.db"
    with pytest.raises(InputError, match="PAPERROUND_DB is not usable: it names a home"):
        load(monkeypatch, DB="~nobody-of-that-name/papers.db")
