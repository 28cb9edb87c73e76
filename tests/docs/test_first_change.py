"""Everything that the page of a first change names exists, and its two implementations have the form of their model."""

import ast
import re

import pytest

from tests.helpers.places import ROOT

PAGE = (ROOT / "docs/your-first-change.md").read_text(encoding="utf-8")
MADE = {"crates/ackclock-net/src/queue/drop_random.rs", "docs/drop-random.png", "queues/drop-random.md"}
"""Files that the reader makes, or that the site has."""
QUEUES = ROOT / "crates/ackclock-net/src/queue"


def block(language):
    """The one block of a language."""
    (found,) = re.findall(rf"(?ms)^```{language}[^\n]*\n(.*?)^```$", PAGE)
    return found


def shape(rust):
    """Parts of a discipline: its imports from above, the fields of its entry, and its functions."""
    (imports,) = re.findall(r"(?m)^use super::\{(.*)\};$", rust)
    return imports, re.findall(r"(?m)^    (\w+): ", rust.partition("Entry {")[2].partition("};")[0]), functions(rust)


def functions(rust):
    """The signatures of functions."""
    return re.findall(r"(?m)^    (fn .*) \{$", rust)


def test_every_file_exists():
    shown = re.findall(r"`([\w./-]+/[\w.-]+\.\w+)`", PAGE) + re.findall(r"(?<=\s)(?:tests|docs)/[\w./-]+\.\w+", PAGE)
    assert len(shown) > len(MADE)
    assert {name for name in shown if not (ROOT / name).exists()} == MADE


def test_every_target_exists():
    rules = re.findall(r"(?m)^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"))
    named = re.findall(r"\bmake ([a-z-]+)(?=$|`| ROOM)", PAGE, re.MULTILINE)
    assert {"env", "check", "types", "docs", "test"} <= set(named) <= set(rules)
    assert all((ROOT / "tests" / room).is_dir() for room in re.findall(r"ROOM=(\w+)", PAGE))


def test_the_lines_that_register_the_model_are_those_of_the_page():
    catalogue = (QUEUES / "mod.rs").read_text(encoding="utf-8")
    for line in ("mod drop_head;", "drop_head::ENTRY,"):
        assert f"`{line}`" in PAGE
        assert re.search(rf"(?m)^\s*{line}$", catalogue)
        assert f"`{line.replace('head', 'random')}`" in PAGE


def test_the_discipline_has_the_form_of_its_model():
    assert shape(block("rust")) == shape((QUEUES / "drop_head.rs").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", ["limit", "fits", "len", "remove", "push", "pop", "backlog"])
def test_the_discipline_calls_functions_of_the_fifo(name):
    assert f"queue.{name}(" in block("rust")
    assert f"pub fn {name}(" in (QUEUES / "fifo.rs").read_text(encoding="utf-8")


def test_the_reference_uses_what_the_file_of_tests_has():
    file = ast.parse((ROOT / "tests/engine/test_order_of_queues.py").read_text(encoding="utf-8"))
    known = {node.name for node in file.body if isinstance(node, ast.ClassDef | ast.FunctionDef)}
    known |= {target.id for node in file.body if isinstance(node, ast.Assign) for target in node.targets}
    known |= {alias.name for node in file.body if isinstance(node, ast.Import | ast.ImportFrom) for alias in node.names}
    written = ast.parse(block("python"))
    used = {node.id for node in ast.walk(written) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    own = {node.name for node in written.body} | {node.arg for node in ast.walk(written) if isinstance(node, ast.arg)}
    assert used - known - own - {"int", "len", "str"} == {"Stream"}
