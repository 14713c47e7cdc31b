"""Tests of the architecture, read from the source: who imports what, what the core may not touch, the map."""

import ast
import re
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter

import pytest

from tests.conftest import ROOT

PACKAGES = ("bot", "digests", "storage")

# Who may import which of the three packages, by the longest matching prefix.
MAY_IMPORT = {
    "digests": {"digests"},
    "storage": {"storage", "digests"},
    "bot": {"bot", "digests"},
    "bot.app": {"bot", "digests", "storage"},
}

# The layers of the core, lowest first: a module imports from its own layer and those below it.
LAYERS = {
    "words": (
        "author boilerplate cues decoding errors json_values latex markdown names phrases scan schedule "
        "scripts sentences tags terms text topics trimming"
    ),
    "things": "paper channel query feed subscription",
    "decisions": (
        "acronyms changes dedupe digest evidence formats heading health leaf likeness matching outbox pages "
        "quote ranking reading rules salience sources summary"
    ),
    "ports": "ports",
    "orders": "commands handlers register reply rights search verbs why refresh compose deliver",
}
LAYER_OF = {name: layer for layer, names in enumerate(LAYERS.values()) for name in names.split()}
JOBS = {"digests.refresh", "digests.compose", "digests.deliver"}

# What only some modules may import; the rest of the three packages does without.
ONLY = {
    "sumy": {"digests.summary"},
    "sqlite3": {"storage"},
    "sqlite_utils": {"storage"},
    "psycopg": {"storage"},
    "discord": {"bot.platforms.discord"},
    "slack_bolt": {"bot.platforms.slack"},
    "slack_sdk": {"bot.platforms.slack"},
    "apscheduler": {"bot.scheduler"},
    "asyncio": {"bot", *JOBS},
    "concurrent": {"bot", *JOBS},
}

TEXT_LIBRARIES = {"Stemmer", "charset_normalizer", "lxml", "numpy", "sumy"}
WORLD = {
    "ftplib", "glob", "http", "logging", "multiprocessing", "os", "pathlib", "select", "selectors", "shutil",
    "signal", "smtplib", "socket", "socketserver", "ssl", "subprocess", "tempfile", "threading", "time",
    "urllib.request",
}  # fmt: skip
CLOCK = {"now", "utcnow", "today"}


def sources() -> dict[str, tuple[str, ast.Module]]:
    """Each module of the three packages by its dotted name: its path from the root, and its syntax tree."""
    found = {}
    for path in sorted(p for package in PACKAGES for p in (ROOT / package).rglob("*.py")):
        place = path.relative_to(ROOT)
        name = ".".join(place.with_suffix("").parts).removesuffix(".__init__")
        found[name] = (place.as_posix(), ast.parse(path.read_text("utf-8")))
    return found


SOURCES = sources()
CORE = [module for module in SOURCES if module.split(".")[0] == "digests"]


def within(name: str, prefixes: set[str]) -> bool:
    """Whether a dotted name is one of these, or lies inside one of them."""
    return any(name == prefix or name.startswith(prefix + ".") for prefix in prefixes)


def targets(module: str, node: ast.AST) -> Iterator[str]:
    """The full dotted names that an import statement of `module` brings in; none for any other node."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        is_package = SOURCES[module][0].endswith("__init__.py")
        parts = module.split(".")
        parents = parts[: len(parts) - node.level + is_package] if node.level else []
        base = ".".join([*parents, *filter(None, [node.module])])
        yield from (f"{base}.{alias.name}" for alias in node.names)


def imports(module: str) -> set[str]:
    """Everything that a module imports, anywhere in it."""
    return {target for node in ast.walk(SOURCES[module][1]) for target in targets(module, node)}


def needed_first(module: str) -> set[str]:
    """The modules of ours that a module imports while it is itself being imported."""

    def walk(node: ast.AST) -> Iterator[str]:
        yield from targets(module, node)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            return
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            return
        for child in ast.iter_child_nodes(node):
            yield from walk(child)

    found = {source for target in walk(SOURCES[module][1]) if (source := source_of(target))}
    return found - {module}


def source_of(target: str) -> str:
    """The module of ours in which an imported name lies; empty for anything else."""
    while target and target not in SOURCES:
        target = target.rpartition(".")[0]
    return target


def calls(module: str) -> Iterator[str]:
    """The names of the functions and methods that a module calls."""
    for node in ast.walk(SOURCES[module][1]):
        if isinstance(node, ast.Call):
            yield node.func.attr if isinstance(node.func, ast.Attribute) else ast.unparse(node.func)


def test_packages_import_only_along_the_arrows() -> None:
    """bot imports digests, storage imports digests, digests imports neither; bot/app.py joins all three."""
    wrong = []
    for module in SOURCES:
        allowed = MAY_IMPORT.get(module) or MAY_IMPORT[module.split(".")[0]]
        ours = {target for target in imports(module) if target.split(".")[0] in (*PACKAGES, "tests")}
        wrong += [f"{module} imports {target}" for target in ours if target.split(".")[0] not in allowed]
    assert not wrong


def test_the_core_imports_downwards() -> None:
    """Inside digests a module imports from its own layer and the layers below, never from one above."""
    modules = {module.split(".")[1] for module in CORE if "." in module}
    assert modules == set(LAYER_OF), "each module of digests has its layer in LAYERS, and each name a module"
    wrong = [
        f"{module} imports {target}"
        for module in CORE
        for target in imports(module)
        if target.startswith("digests.")
        and (module == "digests" or LAYER_OF[target.split(".")[1]] > LAYER_OF[module.split(".")[1]])
    ]
    assert not wrong


@pytest.mark.parametrize("package", PACKAGES)
def test_no_package_imports_itself_in_a_circle(package: str) -> None:
    """No two modules need each other in order to be imported."""
    graph = {module: needed_first(module) for module in SOURCES if within(module, {package})}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" <- ".join(error.args[1]))


@pytest.mark.parametrize("library", ONLY)
def test_a_library_stays_where_it_belongs(library: str) -> None:
    """sumy is met in digests/summary.py alone, SQL in storage alone, each platform in its own module."""
    wrong = [
        module
        for module in SOURCES
        if any(within(target, {library}) for target in imports(module)) and not within(module, ONLY[library])
    ]
    assert not wrong


def test_the_core_touches_nothing_outside() -> None:
    """digests imports text libraries and the harmless part of the standard library only."""
    allowed = {"digests", *TEXT_LIBRARIES, *sys.stdlib_module_names}
    wrong = [
        f"{module} imports {target}"
        for module in CORE
        for target in imports(module)
        if within(target, WORLD) or target.split(".")[0] not in allowed
    ]
    assert not wrong


def test_the_core_opens_no_file_and_reads_no_clock() -> None:
    """digests calls neither open() nor now(), utcnow(), today(): what it needs is an argument."""
    wrong = [
        f"{module} calls {call}()" for module in CORE for call in calls(module) if call in CLOCK | {"open"}
    ]
    assert not wrong


def first_line(module: str) -> str:
    """The sentence that says what a module is: the first line of its docstring."""
    return (ast.get_docstring(SOURCES[module][1]) or "").split("\n")[0]


def test_each_module_begins_with_one_sentence() -> None:
    """The first line of a module's docstring is one whole sentence, set apart from what follows."""
    wrong = []
    for path, tree in SOURCES.values():
        line, *rest = (ast.get_docstring(tree) or "").split("\n")
        if not re.fullmatch(r"\S.*\.", line) or re.search(r"[.!?] [A-Z]", line) or (rest and rest[0]):
            wrong.append(f"{path}: {line!r}")
    assert not wrong


def test_the_map_in_contributing_names_each_module() -> None:
    """CONTRIBUTING.md's map has a line for each module, with the sentence that its docstring begins with."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    lines = set(re.findall(r"^\| `(?:bot|digests|storage)/[\w/]+\.py` \|.*$", text, re.MULTILINE))
    wanted = {f"| `{path}` | {first_line(module)} |" for module, (path, _) in SOURCES.items()}
    assert not wanted - lines, "missing from the map:\n" + "\n".join(sorted(wanted - lines))
    assert not lines - wanted, "not as in the source:\n" + "\n".join(sorted(lines - wanted))
