"""The rules of imports between the rooms of the tests, which are the folders beside this file."""

import ast
from pathlib import Path

import pytest

import ackclock

PACKAGE = Path(ackclock.__file__).parent
TESTS = Path(__file__).parent
SHARED = "helpers"
"""The room whose modules every test may import."""

ROOMS = sorted(path.parent.name for path in TESTS.glob("*/__init__.py"))


def imported(text):
    """The absolute names that a source imports, wherever in it the import stands."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {one.name for one in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, "tests import by absolute names"
            found |= {f"{node.module}.{one.name}" for one in node.names}
    return found


def wrong(room, text):
    """The imports of a module of a room that break the rules."""
    found = []
    for name in sorted(imported(text)):
        package, *parts = name.split(".")
        if package == "tests" and (parts[0] not in (room, SHARED) or parts[1].startswith("test_")):
            found.append(f"{name}: tests import from {SHARED} and from their own room, and no test module")
        elif package == "ackclock" and parts and parts[-1].startswith("_") and not is_module(parts):
            found.append(f"{name}: a private name of a module")
    return found


def is_module(parts):
    """Whether names below the package `ackclock` are a module. The names in a private module may be public in it."""
    path = PACKAGE.joinpath(*parts)
    return path.is_dir() or path.with_suffix(".py").exists() or path.with_suffix(".pyi").exists()


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_from_itself_and_from_the_helpers(room):
    files = sorted((TESTS / room).rglob("*.py"))
    assert files
    assert {path.name: wrong(room, path.read_text(encoding="utf-8")) for path in files} == {
        path.name: [] for path in files
    }


def test_every_file_of_tests_is_in_a_room():
    assert {path.name for path in TESTS.glob("*.py")} == {"__init__.py", "conftest.py", Path(__file__).name}
    assert {path.parent for path in TESTS.rglob("test_*.py")} == {TESTS, *(TESTS / room for room in ROOMS)} - {
        TESTS / SHARED
    }


@pytest.mark.parametrize(
    ("line", "broken"),
    [
        ("from tests.helpers.tables import make_table", 0),
        ("from tests.store.parts import made", 0),
        ("from tests.store.test_reading import made", 1),
        ("from tests.report.parts import made", 1),
        ("def f():\n    import tests.report.parts", 1),
        ("from ackclock import _core", 0),
        ("from ackclock._run import Job", 0),
        ("from ackclock.report.figures import _ticks", 1),
        ("from ackclock.scenario._record import Record", 0),
        ("from ackclock.scenario._record import _read", 1),
    ],
)
def test_an_import_that_breaks_the_rules_is_named(line, broken):
    assert len(wrong("store", line)) == broken
