"""The rules of imports between the rooms of the package, and between those of the tests, which are beside this file."""

import ast
import importlib
import re
from pathlib import Path

import pytest

import ackclock
from ackclock.base import hooks
from tests.helpers import floors

PACKAGE = Path(ackclock.__file__).parent
TESTS = Path(__file__).parent
SHARED = "helpers"
"""The room whose modules every test may import."""

FLOORS = floors.floors(floors.ROOMS)
FLOOR_OF = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}

WHOLE = {"cases", "docs", SHARED, "package", "tools", "uses"}
"""The rooms of tests that are of no single room of the package."""

ENTRIES = {"__init__", "__main__", "_entry", "_errors"}
"""Modules beside the rooms; all others there are public names of what is inside a room."""

GROUND = {"_core", "_errors"}
"""The extension and its exceptions, which every room may use."""

UPWARD = {("results/result.py", "plot")}
"""Imports for types that point up: file and room."""

TEXTS = {"cc/templates/abr.py", "cc/templates/full.py", "cc/templates/window.py"}
"""Files that users start from: they import the package as users do."""

ROOMS = sorted(path.parent.name for path in TESTS.glob("*/__init__.py"))
SOURCES = sorted(path for room in FLOOR_OF for path in (PACKAGE / room).rglob("*.py"))


def named(node):
    """The absolute names of modules that a statement imports, or that a string which is no docstring names."""
    if isinstance(node, ast.Import):
        return [one.name for one in node.names]
    if isinstance(node, ast.ImportFrom):
        assert not node.level, "rooms import by absolute names"
        return [f"{node.module}.{one.name}" for one in node.names]
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return re.findall(rf"^ackclock\.(?:{'|'.join(FLOOR_OF)})(?:\.\w+)*$", node.value)
    return []


def rooms_used(text):
    """The rooms that a source uses, wherever in it that is; ``ackclock`` is the package itself."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        for name in named(node):
            package, _, rest = name.partition(".")
            room = rest.partition(".")[0]
            if package == "ackclock":
                found.add(room if room in FLOOR_OF or room in GROUND else package)
    return found


def above(room, text):
    """Rooms that a source of a room uses and that are not on a floor below the room."""
    own = FLOOR_OF[room]
    lower = {one for one, floor in FLOOR_OF.items() if floor < own}
    return rooms_used(text) - lower - {room} - GROUND


def test_the_folders_of_the_package_are_the_rooms_of_the_design():
    assert {path.parent.name for path in PACKAGE.glob("*/__init__.py")} == set(FLOOR_OF)


@pytest.mark.parametrize("room", sorted(FLOOR_OF))
def test_a_room_uses_only_rooms_of_lower_floors(room):
    files = [path for path in SOURCES if path.relative_to(PACKAGE).parts[0] == room]
    assert files
    found = {
        (path.relative_to(PACKAGE).as_posix(), one)
        for path in files
        for one in above(room, path.read_text(encoding="utf-8"))
    }
    assert found - UPWARD == {(name, "ackclock") for name in TEXTS if name.startswith(f"{room}/")}


@pytest.mark.parametrize(
    ("line", "broken"),
    [
        ("from ackclock import _core, stats", set()),
        ("from ackclock._errors import Cancelled", set()),
        ("from ackclock.store.layout import StoreError", set()),
        ("def f():\n    from ackclock.report.page import Report", {"report"}),
        ("if TYPE_CHECKING:\n    from ackclock.sweeps import Points", {"sweeps"}),
        ("from ackclock import plot, report", {"report"}),
        ("import ackclock", {"ackclock"}),
        ("from ackclock import run", {"ackclock"}),
        ("from ackclock.gate import take", {"ackclock"}),
        ('f = import_module("ackclock.report.page")', {"report"}),
        ('"""See `ackclock.report.page`."""', set()),
        ("from ackclock.engine.run import run", {"engine"}),
    ],
)
def test_an_import_of_a_room_that_is_not_below_is_named(line, broken):
    assert above("store", line) == broken


def test_the_modules_beside_the_rooms_are_entries_and_public_names():
    for path in PACKAGE.glob("*.py"):
        if path.stem not in ENTRIES:
            document, imported, names = ast.parse(path.read_text(encoding="utf-8")).body
            assert isinstance(document, ast.Expr), path
            assert isinstance(imported, ast.ImportFrom), path
            assert isinstance(names, ast.Assign), path
            inner = importlib.import_module(imported.module)
            assert importlib.import_module(f"ackclock.{path.stem}").__all__ == inner.__all__


def test_every_hook_has_one_function_in_a_higher_room():
    declared = {}
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Hook":
                name = ast.literal_eval(node.args[0])
                assert name not in declared, name
                declared[name] = path.relative_to(PACKAGE).parts[0]
    filled = hooks.filled()
    assert declared.keys() == filled.keys()
    for name, room in declared.items():
        module, _, function = filled[name].partition(":")
        assert FLOOR_OF[module.split(".")[1]] > FLOOR_OF[room], name
        assert callable(getattr(importlib.import_module(module), function)), name


def test_a_hook_without_a_function_names_itself():
    with pytest.raises(KeyError, match=r"nothing\.here"):
        hooks.Hook("nothing.here")()


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
        if package == "tests" and (
            parts[0] not in (room, SHARED) or any(one.startswith("test_") for one in parts[1:3])
        ):
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


def test_the_rooms_of_the_tests_are_those_of_the_package():
    assert set(ROOMS) == WHOLE | set(FLOOR_OF)
    assert {path.name for path in TESTS.glob("*.py")} == {"__init__.py", "conftest.py", Path(__file__).name}
    tested = {path.relative_to(TESTS).parts[0] for path in TESTS.rglob("test_*.py")}
    assert tested == {Path(__file__).name, *ROOMS} - {SHARED}
    assert all((path.parent / "__init__.py").is_file() for path in TESTS.rglob("test_*.py"))


@pytest.mark.parametrize(
    ("line", "broken"),
    [
        ("from tests.helpers.tables import make_table", 0),
        ("from tests.store.parts import made", 0),
        ("from tests.store.test_reading import made", 1),
        ("from tests.report.parts import made", 1),
        ("def f():\n    import tests.report.parts", 1),
        ("from ackclock import _core", 0),
        ("from ackclock.engine.run import Job", 0),
        ("from ackclock.report.figures import _ticks", 1),
        ("from ackclock.scenario._record import Record", 0),
        ("from ackclock.scenario._record import _read", 1),
    ],
)
def test_an_import_that_breaks_the_rules_is_named(line, broken):
    assert len(wrong("store", line)) == broken
