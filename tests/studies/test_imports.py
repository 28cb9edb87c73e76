"""The rules of imports: a study imports no other study, and the framework imports no study."""

import ast
from pathlib import Path

import pytest

from ackclock import studies

ROOM = "ackclock.studies"
FOLDER = Path(studies.__file__).parent
FRAMEWORK = "framework"
SETUPS = "setups"
STUDIES = sorted(module.removeprefix(f"{ROOM}.") for module in studies.STUDIES.values())


def modules_below(folder):
    """The Python files of a folder, each with the package that its relative imports start from."""
    for path in sorted(folder.rglob("*.py")):
        yield path, ".".join([ROOM, *path.relative_to(FOLDER).parent.parts])


def imports_of(text, package):
    """The absolute names of all modules and names that a source imports, wherever in it the import stands."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {one.name for one in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*above, *filter(None, [base])])
            found |= {f"{base}.{one.name}" for one in node.names}
    return found


def parts_imported(folder):
    """The folders of the room that a folder's files import: file to the first name below the room."""
    return {
        path.relative_to(FOLDER).as_posix(): {
            name.removeprefix(f"{ROOM}.").split(".")[0]
            for name in imports_of(path.read_text(encoding="utf-8"), package)
            if name.startswith(f"{ROOM}.")
        }
        for path, package in modules_below(folder)
    }


def test_every_folder_is_the_framework_or_a_registered_study():
    folders = {path.parent.name for path in FOLDER.glob("*/__init__.py")}
    assert folders == {*STUDIES, FRAMEWORK}


@pytest.mark.parametrize("study", STUDIES)
def test_a_study_imports_no_other_study(study):
    imported = parts_imported(FOLDER / study)
    assert FRAMEWORK in imported[f"{study}/__init__.py"]
    assert {path: names for path, names in imported.items() if names - {study, FRAMEWORK}} == {}


def test_the_framework_imports_no_study():
    imported = parts_imported(FOLDER / FRAMEWORK)
    assert imported["framework/lab.py"] == {FRAMEWORK}
    assert {path: names for path, names in imported.items() if names - {FRAMEWORK}} == {}


def test_the_framework_itself_imports_no_set_up():
    for path, package in modules_below(FOLDER / FRAMEWORK):
        if SETUPS not in path.relative_to(FOLDER).parts:
            names = imports_of(path.read_text(encoding="utf-8"), package)
            assert not {name for name in names if name.startswith(f"{ROOM}.{FRAMEWORK}.{SETUPS}")}, path


@pytest.mark.parametrize(
    ("line", "imported"),
    [
        ("import ackclock.studies.iw10", "ackclock.studies.iw10"),
        ("from ackclock.studies import iw10", "ackclock.studies.iw10"),
        ("from ackclock.studies.iw10.cells import Cell", "ackclock.studies.iw10.cells.Cell"),
        ("from ..iw10 import cells", "ackclock.studies.iw10.cells"),
        ("def f():\n    from .. import iw10", "ackclock.studies.iw10"),
    ],
)
def test_every_form_of_import_is_seen(line, imported):
    assert imports_of(line, "ackclock.studies.irto") == {imported}
