"""Tests of deploy/: what it shows works with this version, and holds what it promises."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import discord
import pytest
import typer
import yaml

from bot.__main__ import _MODULES
from bot.platforms.discord.permissions import lacking
from bot.platforms.slack.platform import SCOPES
from bot.settings import Settings, load_settings
from tests.conftest import ROOT

DEPLOY = ROOT / "deploy"
TEXTS = sorted(path for path in DEPLOY.rglob("*") if path.is_file())


def read(name: str) -> str:
    return (DEPLOY / name).read_text("utf-8")


# The settings ------------------------------------------------------------------------------------------

ENV = read("env.example")
ASSIGNMENTS = re.findall(r"^(?:# )?(PAPERROUND_[A-Z_]+)=(.+)$", ENV, re.MULTILINE)


def test_env_example_names_every_setting_once() -> None:
    """env.example and the settings have the same variables."""
    assert sorted(name for name, _ in ASSIGNMENTS) == sorted(
        f"PAPERROUND_{name.upper()}" for name in Settings.model_fields
    )


def test_env_example_explains_each_setting() -> None:
    """A sentence stands above each variable, or above the block that it ends."""
    for block in ENV.split("\n\n"):
        first, *_ = block.splitlines()
        assert re.match(r"# [A-Z]", first), block
        assert "=" not in first or "settings" in first, block


def test_env_example_can_be_filled_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the # taken away every example is valid, and what is said to be a default is one."""
    for name, _ in ASSIGNMENTS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".env").write_text("".join(f"{name}={value}\n" for name, value in ASSIGNMENTS), "utf-8")
    loaded = load_settings()
    assert loaded.model_fields_set == set(Settings.model_fields)
    urls = [name for name in Settings.model_fields if name.endswith("_url")]
    assert {name: getattr(loaded, name) for name in urls} == {
        name: Settings.model_fields[name].default for name in urls
    }


def test_documents_name_only_variables_that_exist() -> None:
    """No text in deploy/ tells people to set what nothing reads."""
    known = {f"PAPERROUND_{name.upper()}" for name in Settings.model_fields} | {"PAPERROUND_DEBUG"}
    named = {name for path in TEXTS for name in re.findall(r"PAPERROUND_[A-Z_]+\b", path.read_text("utf-8"))}
    assert named - known == set()


# Commands ----------------------------------------------------------------------------------------------


def commands(text: str) -> Iterator[list[str]]:
    """The words of each `paperround …` that stands in code: in a block, or between backticks."""
    blocks = re.findall(r"^    +(.+)$", text, re.MULTILINE) + re.findall(r"`([^`\n]+)`", text)
    for line in blocks:
        for part in re.split(r"&&|\||;|\$\(", line):
            if found := re.match(r"\s*(?:\S*/bin/)?paperround ([a-z].*)", part):
                yield found[1].split()


def misnamed(words: list[str]) -> set[str]:
    """The options in a command that it does not have; KeyError if there is no such command."""
    called: Any = typer.main.get_command(import_module(f"bot.cli.{_MODULES[words[0]].module}").app)
    if commands_of_group := getattr(called, "commands", None):
        called = commands_of_group[words[1]]
    options = {option for parameter in called.params for option in parameter.opts}
    return {word.split("=")[0] for word in words if word.startswith("--")} - options


@pytest.mark.parametrize("name", ["README.md", "discord.md", "env.example"])
def test_commands_in_documents_exist(name: str) -> None:
    """Every command that the runbook tells people to type is one, with the options that it names."""
    found = list(commands(read(name)))
    assert found
    assert [words for words in found if misnamed(words)] == []


def test_links_between_documents_lead_somewhere() -> None:
    """Every relative link in deploy/'s documents has its file."""
    links = re.findall(r"\]\(([^)#:]+)\)", read("README.md") + read("discord.md"))
    assert [link for link in links if not (DEPLOY / link).exists()] == []


def test_runbook_explains_every_event() -> None:
    """The runbook's table of the log has each event that the service writes, and no other."""
    sources = "\n".join(path.read_text("utf-8") for path in sorted((ROOT / "bot").rglob("*.py")))
    written = set(re.findall(r"\.(?:debug|info|warning|error|critical|exception)\(\s*\"([^\"]+)\"", sources))
    rows = re.findall(r"^\| (`[a-z ]+`(?:, `[a-z ]+`)*) \|.*\|.*\|$", read("README.md"), re.MULTILINE)
    assert {event for row in rows for event in re.findall(r"`([^`]+)`", row)} == written


# The image ---------------------------------------------------------------------------------------------

_CONTINUED = re.compile(r"\\\n\s*")


def instructions() -> list[tuple[str, str]]:
    """The Dockerfile's instructions and their arguments, in order."""
    lines = [line for line in read("Dockerfile").splitlines() if not line.lstrip().startswith("#")]
    joined = _CONTINUED.sub("", "\n".join(lines))
    return [(word, rest) for word, _, rest in (line.partition(" ") for line in joined.splitlines() if line)]


def arguments(instruction: str) -> list[str]:
    return [rest for word, rest in instructions() if word == instruction]


def test_image_runs_as_nobody_special() -> None:
    """The last stage ends as a user with a fixed number that is not root's, set before it starts anything."""
    last = [word for word, _ in instructions()][::-1].index("FROM")
    stage = instructions()[-last:]
    assert [rest for word, rest in stage if word == "USER"] == ["10001:10001"]
    assert [word for word, _ in stage][-2:] == ["ENTRYPOINT", "CMD"]


def test_image_base_is_pinned() -> None:
    """Both stages stand on one base, by an exact version and never by `latest`."""
    [python] = arguments("ARG")
    assert re.fullmatch(r"PYTHON=3\.\d+\.\d+-slim-[a-z]+", python)
    assert arguments("FROM") == ["python:${PYTHON} AS build", "python:${PYTHON}"]
    assert "latest" not in read("Dockerfile") + read("compose.yaml")


def test_image_installs_only_what_is_locked() -> None:
    """Every pip install checks hashes or takes no dependency, and none says where packages come from."""
    installs = re.findall(r"pip install ([^&]+)", " && ".join(arguments("RUN")))
    assert len(installs) == 3
    assert all("--require-hashes" in install or "--no-deps" in install for install in installs)
    assert all("--no-build-isolation" in install or "build.lock" in install for install in installs)
    assert not re.search(r"://|index|trusted-host", read("Dockerfile") + read("compose.yaml"))


def test_image_builds_with_the_locked_setuptools() -> None:
    """The lines that the Dockerfile takes from the lock are setuptools with its hashes, and no more."""
    lock = (ROOT / "requirements.lock").read_text("utf-8")
    cut = re.search(r"^setuptools==.*\\\n(?:.*\\\n)*.*[^\\]\n", lock, re.MULTILINE)
    assert cut
    assert re.fullmatch(r"setuptools==[\d.]+( \\\n    --hash=sha256:[0-9a-f]{64})+\n", cut[0])


def test_image_has_all_packages() -> None:
    """What the build copies exists, is let through to the builder, and holds every package of the project."""
    copied = [words.split()[:-1] for words in arguments("COPY") if not words.startswith("--from")]
    names = {name for sources in copied for name in sources}
    assert [name for name in names if not (ROOT / name).exists()] == []
    assert {"bot", "digests", "storage"} <= names
    allowed = {line[1:] for line in read("Dockerfile.dockerignore").splitlines() if line.startswith("!")}
    assert allowed == names


def test_dockerfile_keeps_to_good_manners() -> None:
    """The rules of hadolint that concern it: COPY, absolute WORKDIRs, exec forms, no cd, no sudo."""
    words = [word for word, _ in instructions()]
    assert not {"ADD", "MAINTAINER", "SHELL"} & set(words)
    assert all(path.startswith("/") for path in arguments("WORKDIR"))
    forms = arguments("ENTRYPOINT") + arguments("CMD") + arguments("HEALTHCHECK")
    assert all(form.rpartition("CMD ")[2].startswith("[") for form in forms)
    assert not re.search(r"\b(cd|sudo|apt-get|curl|wget)\b", " ".join(arguments("RUN")))
    assert words.count("HEALTHCHECK") == words.count("ENTRYPOINT") == words.count("CMD") == 1


def test_image_runs_commands_that_exist() -> None:
    """What the image starts and how it is asked for its health are commands of this version."""
    [entry], [start], [health] = arguments("ENTRYPOINT"), arguments("CMD"), arguments("HEALTHCHECK")
    assert json.loads(entry) == ["paperround"]
    assert not misnamed(json.loads(start))
    program, *words = json.loads(health.partition("CMD ")[2])
    assert program == "paperround"
    assert not misnamed(words)


def test_compose_file_takes_every_right_away() -> None:
    """The container can write to its volume alone, gains no rights, and has time to stop."""
    [service] = yaml.safe_load(read("compose.yaml"))["services"].values()
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["volumes"] == ["data:/data"]
    assert service["environment"] == {"PAPERROUND_DB": "/data/paperround.db"}
    assert int(service["stop_grace_period"].removesuffix("s")) >= 25
    assert not {"privileged", "network_mode", "cap_add", "pid"} & set(service)
    assert service["build"] == {"context": "..", "dockerfile": "deploy/Dockerfile"}


# The unit ----------------------------------------------------------------------------------------------


def unit() -> dict[str, list[str]]:
    """The unit's settings, each with all its values."""
    settings: dict[str, list[str]] = {}
    for name, value in re.findall(r"^([A-Za-z]+)=(.*)$", read("paperround.service"), re.MULTILINE):
        settings.setdefault(name, []).append(value)
    return settings


def test_unit_stops_and_restarts_with_patience() -> None:
    """It outwaits the service's 20 s; no loop of crashes uses up Discord's 1,000 sign-ins a day."""
    [stop], [restart] = unit()["TimeoutStopSec"], unit()["RestartSec"]
    assert int(stop.removesuffix("s")) >= 25
    assert 86_400 / int(restart.removesuffix("s")) < 1_000


def test_unit_starts_a_command_that_exists() -> None:
    """It runs `paperround run` and knows the exit code of wrong settings."""
    from bot.cli.show import WRONG_INPUT

    [start] = unit()["ExecStart"]
    [words] = commands(f"    {start}\n")
    assert words == ["run"]
    assert not misnamed(words)
    assert unit()["RestartPreventExitStatus"] == [str(WRONG_INPUT)]


def test_unit_is_hardened() -> None:
    """It owns one folder, sees a read-only system, and has no capability."""
    held = unit()
    assert (held["User"], held["StateDirectory"]) == (["paperround"], ["paperround"])
    assert (held["ProtectSystem"], held["CapabilityBoundingSet"]) == (["strict"], [""])
    hardened = "NoNewPrivileges PrivateTmp ProtectHome MemoryMax SystemCallFilter RestrictAddressFamilies"
    assert set(hardened.split()) <= set(held)


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="no systemd-analyze on this machine")
def test_systemd_understands_the_unit(tmp_path: Path) -> None:
    """systemd has nothing to say against it, once the program is where the unit looks for it."""
    there = read("paperround.service").replace("/opt/paperround/bin/paperround", sys.executable)
    (tmp_path / "paperround.service").write_text(there, "utf-8")
    verified = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(tmp_path / "paperround.service")],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (verified.stderr, verified.returncode) == ("", 0)


# The apps ----------------------------------------------------------------------------------------------

MANIFEST: dict[str, Any] = yaml.safe_load(read("slack-manifest.yaml"))


def test_manifest_is_one_that_slack_takes() -> None:
    """Its parts are known ones, and within the lengths that Slack gives."""
    assert set(MANIFEST) == {"_metadata", "display_information", "features", "oauth_config", "settings"}
    shown = MANIFEST["display_information"]
    assert len(shown["name"]) <= 35
    assert len(shown["description"]) <= 140
    assert 174 <= len(shown["long_description"]) <= 4_000
    assert re.fullmatch("#[0-9a-f]{6}", shown["background_color"])
    [slash] = MANIFEST["features"]["slash_commands"]
    assert len(slash["description"]) <= 2_000
    assert len(slash["usage_hint"]) <= 1_000
    assert len(MANIFEST["features"]["bot_user"]["display_name"]) <= 80


def test_manifest_serves_what_the_service_does() -> None:
    """The slash command is the core's, the events are heard, and Socket Mode needs no address."""
    from digests.commands import SLASH

    assert [each["command"] for each in MANIFEST["features"]["slash_commands"]] == [SLASH]
    assert MANIFEST["settings"]["socket_mode_enabled"]
    assert MANIFEST["settings"]["interactivity"] == {"is_enabled": True}
    heard = re.findall(r'app\.event\("(\w+)"\)', (ROOT / "bot/platforms/slack/clerk.py").read_text("utf-8"))
    subscribed = MANIFEST["settings"]["event_subscriptions"]["bot_events"]
    assert [event.partition(".")[0] for event in subscribed] == heard
    assert "request_url" not in read("slack-manifest.yaml")


def test_manifest_asks_for_the_scopes_that_the_code_needs() -> None:
    """The app gets exactly the rights that the doctor looks for."""
    assert sorted(MANIFEST["oauth_config"]["scopes"]["bot"]) == sorted(SCOPES)
    assert set(MANIFEST["oauth_config"]["scopes"]) == {"bot"}


def test_discord_link_asks_for_what_is_explained() -> None:
    """The number in the invite link is the sum of what the table explains, and of what the bot wants."""
    text = read("discord.md")
    [asked] = re.findall(r"permissions=(\d+)", text)
    rows = re.findall(r"^\| ([A-Z][A-Za-z ]+) \| (\d+) \| (\d+) \|", text, re.MULTILINE)
    names = {name.lower().replace(" ", "_"): True for name, _, _ in rows}
    assert int(asked) == sum(int(number) for _, _, number in rows) == discord.Permissions(**names).value
    assert all(1 << int(bit) == int(number) for _, bit, number in rows)
    assert {name for name, _, _ in rows} == {*lacking(discord.Permissions.none(), in_thread=False)}
