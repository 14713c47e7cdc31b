"""Tests of the log: one line per event, readable or JSON, and no secret in any of them."""

from __future__ import annotations

import io
import json
import logging
import sys
import warnings
from pathlib import Path

import pytest
import structlog
from hypothesis import given
from hypothesis import strategies as st

from bot.logs import HIDDEN, Redactor, configure
from tests.bot.world import furnished, world

SECRETS = ("bot-token-9f2c", 'with "quotes" \\ and more', "xoxb-1-secret")


def written(form: str) -> io.StringIO:
    """A log in that form, into memory."""
    stream = io.StringIO()
    configure(SECRETS, "info", form, stream)
    return stream


def test_a_json_line_holds_the_event_and_its_fields() -> None:
    """For machines: one JSON object a line, letters as they are."""
    stream = written("json")
    structlog.get_logger().info("message sent", channel="slack:T1/C1", part="1/3", word="Kähler")
    (line,) = stream.getvalue().splitlines()
    assert "Kähler" in line
    found = json.loads(line)
    assert (found["event"], found["channel"], found["part"]) == ("message sent", "slack:T1/C1", "1/3")


def test_a_plain_line_is_key_and_value() -> None:
    """For people: no colours where there is no terminal, and a value cannot break the line."""
    stream = written("plain")
    structlog.get_logger().warning("feed failed", feed="arxiv-cs", error="one\ntwo")
    (line,) = stream.getvalue().splitlines()
    assert "feed failed" in line
    assert "feed=arxiv-cs" in line
    assert "\x1b" not in line


def test_libraries_write_the_same_lines() -> None:
    """Standard logging goes through the same handler, and says which library it is."""
    stream = written("json")
    logging.getLogger("discord.client").warning("shard %s", 1)
    logging.getLogger("aiohttp.access").info("not interesting")
    (line,) = stream.getvalue().splitlines()
    found = json.loads(line)
    assert (found["event"], found["level"], found["library"]) == ("shard 1", "warning", "discord.client")


@pytest.mark.parametrize(
    ("said", "error", "traceback"),
    [
        ("Attempting a reconnect in %.2fs", ConnectionResetError("cut"), False),
        ("Failed to connect for shard_id: %s. Retrying...", TimeoutError(), False),
        ("Failed to connect for shard_id: %s. Retrying...", KeyError("url"), True),
        ("Ignoring exception in %s", ConnectionResetError("cut"), True),
    ],
)
def test_only_a_lost_connection_loses_its_traceback(said: str, error: Exception, traceback: bool) -> None:
    """A fault of discord.py's or of ours is still told with all its lines."""
    stream = written("json")
    logging.getLogger("discord.client").error(said, 1, exc_info=error)
    (line,) = map(json.loads, stream.getvalue().splitlines())
    assert ("exception" in line, line["event"] == "discord connection lost") == (traceback, not traceback)
    assert type(error).__name__ in stream.getvalue()


@pytest.mark.parametrize("form", ["json", "plain"])
@pytest.mark.parametrize("secret", SECRETS)
def test_no_secret_passes(form: str, secret: str) -> None:
    """Not in an event, a field, a library's line, a warning, nor in a traceback that nobody caught."""
    stream = written(form)
    log = structlog.get_logger()
    log.info(f"token {secret}", token=secret, inner={"token": [secret]}, raw=secret.encode())
    logging.getLogger("slack_sdk").error("%s", secret)
    warnings.warn(f"careful with {secret}", stacklevel=1)
    try:
        raise ValueError(secret)
    except ValueError as error:
        log.exception("job failed")
        sys.excepthook(type(error), error, error.__traceback__)
    text = stream.getvalue()
    assert HIDDEN in text
    assert not [form for form in (secret, json.dumps(secret)[1:-1], repr(secret)[1:-1]) if form in text]


@pytest.mark.parametrize(
    "text",
    [
        "xoxb-17653672481-19874698323-pdFZKVeTuE8sk7oOcHrzqqgy",
        "xapp-1-A012ABCDEFG-1234567890-0123456789abcdef",
        "xoxe.xoxp-1-Mi0yLTEyMzQ1Njc4OTA",
        "MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs",
        "https://hooks.slack.com/commands/T1/123/abcdef",
        "wss://wss-primary.slack.com/link/?ticket=12345-abcde&app_id=1",
    ],
)
def test_what_has_the_shape_of_a_token_is_taken_out(text: str) -> None:
    """Tokens that nobody told us of: another app's, one that a platform sent."""
    shown = Redactor()(f"before {text} after")
    assert HIDDEN in shown
    assert shown.startswith("before ")
    assert shown.endswith(" after")
    assert text[-20:] not in shown


@given(st.text(alphabet="abc \n\"'\\", max_size=30), st.text(max_size=30))
def test_a_known_secret_is_gone_whatever_surrounds_it(before: str, after: str) -> None:
    """The finished line is searched, not its parts."""
    assert SECRETS[0] not in Redactor(SECRETS)(before + SECRETS[0] + after)


def test_ordinary_words_stay() -> None:
    """Versions, hosts, identifiers and keys of messages are no tokens."""
    text = "slack:T1/C1|2026-12-01|1 discord.py 2.7.1 export.arxiv.org 10.1145/3292500.3330701 xor-shift"
    assert Redactor(SECRETS)(text) == text


@pytest.mark.parametrize("log", ["debug json", "info plain"])
async def test_a_failing_service_writes_no_secret(tmp_path: Path, log: str) -> None:
    """Wrong tokens, refused messages and broken feeds: nothing that the process writes holds a secret."""
    async with world(tmp_path) as here:
        furnished(here, slack=1, discord=1, papers=3, size=3)
        here.discord.token_is_good = False
        here.slack.refusals["C0"] = "token_revoked"
        secret = "0123456789abcdef0123"
        service = await here.start(
            PAPERROUND_LOG=log,
            PAPERROUND_SLACK_SIGNING_SECRET=secret,
            PAPERROUND_SLACK_API_URL=here.slack.url,
        )
        await service.until("platform not connected")
        await service.until("message not sent")
        service.process.terminate()
        assert await service.end() == 0
        assert "token" in service.written
        found = [word for word in (*here.secrets, secret) if word in service.written]
        assert not found, service.written
