"""Fuzzes what reads the words of strangers, guided by the coverage that inputs reach.

    python -m tests.fuzz --minutes 60            all targets, most of the time for documents
    python -m tests.fuzz documents --minutes 10  one of them: documents, lists, queries, texts, messages
    python -m tests.fuzz shrink FILE             a smaller input with the same fault
    python -m tests.fuzz again FILE ...          what becomes of inputs now

It needs atheris, which is no dependency of this project: `make fuzz` puts it under build/fuzz, where the
corpus and the inputs with faults are kept too, so that a later run goes on from there.
What must hold is in `targets.py`.  A fault ends nothing: it is counted by its kind, and the first inputs of
each kind are kept.  Each target's counts are printed as a JSON line.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # atheris has to be there before what it watches
    from tests.fuzz.targets import FaultError, Target

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "build" / "fuzz"
SHARES = {"documents": 0.68, "texts": 0.14, "queries": 0.06, "lists": 0.06, "messages": 0.06}
LONGEST = 65_536
SEED_SIZE = 3_000
KEPT = 8
"""So many inputs of each kind of fault are kept."""


def main() -> int:
    """Run what the command line asks for; 1 where a fault was found."""
    arguments = _arguments()
    if arguments.what == "again":
        return again(arguments.files)
    if arguments.what == "shrink":
        for file in arguments.files:
            shrink(file)
        return 0
    seconds = arguments.minutes * 60
    if arguments.what == "all":
        return max([_apart(target, seconds * share) for target, share in SHARES.items()])
    fuzz(arguments.what, int(seconds))
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("what", nargs="?", default="all", choices=["all", *SHARES, "again", "shrink"])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--minutes", type=float, default=60)
    return parser.parse_args()


def _apart(target: str, seconds: float) -> int:
    """Fuzz one target in a process of its own, for libFuzzer ends its process, and print its counts."""
    begun = time.monotonic()
    folder = FOLDER / target
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "log").open("wb") as log:
        command = [sys.executable, "-m", "tests.fuzz", target, "--minutes", str(seconds / 60)]
        status = subprocess.run(command, cwd=ROOT, stderr=log, stdout=log, check=False).returncode
    counts: dict[str, Any] = json.loads((folder / "counts.json").read_text())
    covered = re.findall(r"cov: (\d+) ft: (\d+) corp: (\d+)/", (folder / "log").read_text(errors="replace"))
    last = [int(number) for number in covered[-1]] if covered else [0, 0, 0]
    counts |= dict(zip(("edges", "features", "corpus"), last, strict=True))
    counts |= {"minutes": round((time.monotonic() - begun) / 60, 1), "status": status}
    print(json.dumps(counts), flush=True)
    return int(bool(counts["faults"]) or status != 0)


def fuzz(name: str, seconds: int) -> None:
    """Fuzz a target; libFuzzer ends the process when the time is over."""
    import atheris  # type: ignore[import-not-found,import-untyped,unused-ignore]

    with atheris.instrument_imports(include=["digests", "bot.opml"]):
        from digests.formats import formats
        from tests.fuzz import targets

        formats()
    from tests.fuzz.mutations import damaged

    folder = FOLDER / name
    for part in ("corpus", "seeds", "faults"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    others = seeds(name)
    for body in others:
        (folder / "seeds" / hashlib.sha256(body).hexdigest()[:16]).write_bytes(body)
    target, faults, written = targets.TARGETS[name], Counter[str](), 0.0

    def one_input(body: bytes) -> None:
        nonlocal written
        try:
            targets.check(target, body)
        except targets.FaultError as fault:
            faults[fault.kind] += 1
            if faults[fault.kind] <= KEPT:
                _keep(folder / "faults", body, fault)
                written = 0
        if time.monotonic() - written > 5:
            written = time.monotonic()
            said = {"target": name, **asdict(targets.COUNTS), "faults": faults}
            (folder / "counts.json").write_text(json.dumps(said))

    def mutate(body: bytes, longest: int, seed: int) -> bytes:
        chance = random.Random(seed)
        if chance.random() < 0.25:
            return bytes(atheris.Mutate(body, longest))
        return damaged(body, chance, others)[:longest]

    options = {
        "max_total_time": seconds, "max_len": LONGEST, "len_control": 0, "timeout": 120, "rss_limit_mb": 2000,
        "print_final_stats": 1, "artifact_prefix": f"{folder}/faults/", "seed": int(time.time()) % 2**31,
    }  # fmt: skip
    said = [f"-{option}={value}" for option, value in options.items()]
    atheris.Setup(
        [sys.argv[0], *said, f"{folder}/corpus", f"{folder}/seeds"], one_input, custom_mutator=mutate
    )
    atheris.Fuzz()


def _keep(folder: Path, body: bytes, fault: Exception) -> None:
    place = folder / hashlib.sha256(body).hexdigest()[:12]
    place.write_bytes(body)
    place.with_suffix(".why").write_text(f"{fault}\n", errors="replace")


def seeds(target: str, *, with_shared: bool = True) -> list[bytes]:
    """The documents to begin with: our samples and the shared ones, the long ones cut in their middle."""
    shared = Path(os.environ.get("PAPERROUND_SHARED") or ROOT.parent / "shared") / "data"
    folders = [ROOT / "tests/data", *((shared / "feeds", shared / "faults") if with_shared else ())]
    files = sorted(
        path for folder in folders if folder.is_dir() for path in folder.rglob("*") if path.is_file()
    )
    bodies = [
        _shortened(path.read_bytes())
        for path in files
        if not path.name.endswith((".expected.json", ".tsv", ".png"))
    ]
    if target == "queries":
        return [query.encode() for query in _QUERIES]
    if target in ("texts", "messages"):
        return [piece for body in bodies for piece in (body[:600], body[len(body) // 2 :][:600])]
    return bodies


def _shortened(body: bytes) -> bytes:
    return body if len(body) <= SEED_SIZE else body[: SEED_SIZE - 1500] + body[-1500:]


_QUERIES = (
    *("graph neural networks", '"chain of thought" OR reasoning', "title:(a OR b) NOT abstract:c*"),
    "-survey",
    *("author:\"Ann Author\" AND category:cs.CL", "venue:ICLR feed:arxiv-cs like:p12", "quantiz* =GPU"),
    "C++",
    *("(a OR (b AND NOT (c OR d)))", "推理 模型", "ti:x abs:y au:z", 'NOT "x', "a AND"),
    "naïve Größe ﬁ e\u0301",
)  # fmt: skip


def again(files: Iterable[Path]) -> int:
    """Say what becomes of each input now; 1 if one has a fault."""
    faults = {file.name: _fault(_target_of(file), file.read_bytes()) for file in files}
    for name, fault in faults.items():
        print(f"{name}: {str(fault or 'holds')[:400]}")
    return int(any(faults.values()))


def shrink(file: Path) -> None:
    """Write beside the input the smallest that was found with a fault of its kind, as FILE.small."""
    target, body = _target_of(file), file.read_bytes()
    small = shrunk(target, body)
    file.with_suffix(".small").write_bytes(small)
    print(f"{file.name}: {str(_fault(target, small) or 'holds')[:400]}\n{small[:1500]!r}")


def shrunk(target: Target, body: bytes) -> bytes:
    """The smallest input with a fault of the same kind that leaving out pieces leads to."""
    fault = _fault(target, body)
    size = len(body) // 2 if fault else 0
    while size:
        at = 0
        while at < len(body):
            shorter = body[:at] + body[at + size :]
            found = _fault(target, shorter)
            if fault and found and found.kind == fault.kind:
                body = shorter
            else:
                at += size
        size //= 2
    return body


def _target_of(file: Path) -> Target:
    """By the folder in which an input was kept."""
    from tests.fuzz import targets

    name = next((part for part in reversed(file.parts) if part in targets.TARGETS), "documents")
    return targets.TARGETS[name]


def _fault(target: Target, body: bytes) -> FaultError | None:
    from tests.fuzz import targets

    try:
        targets.check(target, body)
        if target is targets.documents:
            targets.nothing_is_lost(body)
    except targets.FaultError as fault:
        return fault
    return None


if __name__ == "__main__":
    sys.exit(main())
