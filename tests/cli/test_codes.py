"""Codes of errors: every kind of error has one, every code has an explanation, and codes never change."""

import importlib
import inspect
import json
import pkgutil

import pytest

import ackclock
from ackclock._errors import Cancelled, RefusedError, ScenarioError
from ackclock.base import codes as _codes
from ackclock.base.codes import code_of, codes
from ackclock.base.signals import Stopped
from ackclock.cli import main
from ackclock.cli.output import UsageError
from ackclock.judge.conform.evidence import Absent, Unreadable
from ackclock.judge.conform.perform import Late
from tests.helpers.scenarios import SWEPT

NO_ERRORS = {Cancelled, Stopped, Absent, Unreadable, Late}
"""Exceptions that are answers, or what somebody asked for."""

COMMAND_LINE = {getattr(_codes, name) for name in _codes.__all__ if name.isupper()}

PINNED = {
    "ACK001": "UsageError",
    "ACK002": "",
    "ACK003": "",
    "ACK004": "",
    "ACK005": "",
    "ACK006": "",
    "ACK007": "",
    "ACK008": "FolderError",
    "ACK009": "RefusedError",
    "ACK010": "ScenarioError",
    "ACK011": "RenamedWarning",
    "ACK012": "DocumentError",
    "ACK013": "ExtraError",
    "ACK020": "AlgorithmError",
    "ACK021": "LoadError",
    "ACK022": "LibraryError",
    "ACK023": "TransportError",
    "ACK024": "ProcessError",
    "ACK025": "UnableError",
    "ACK026": "VerificationError",
    "ACK030": "MeasureError",
    "ACK031": "StoreError",
    "ACK032": "UnreadableError",
    "ACK033": "DamagedRunError",
    "ACK034": "SweepError",
    "ACK035": "ClusterError",
    "ACK040": "ManifestError",
    "ACK041": "CaptureError",
    "ACK042": "MeasurementError",
    "ACK050": "KernelError",
    "ACK051": "BusyError",
    "ACK052": "EmulateError",
    "ACK053": "ContentError",
    "ACK054": "MissingError",
    "ACK055": "ServerError",
    "ACK056": "SessionError",
    "ACK057": "ConfinementError",
    "ACK060": "GateError",
    "ACK061": "PackError",
    "ACK062": "WheelError",
    "ACK063": "LogError",
    "ACK070": "ServeError",
    "ACK071": "AskedError",
    "ACK072": "LabError",
    "ACK073": "AgainError",
    "ACK080": "StudyError",
}
"""A line is never changed or removed: people search for codes. A new kind of error appends a line."""


def raised():
    """Every exception that a module of ackclock defines."""
    found = set()
    for module in pkgutil.walk_packages(ackclock.__path__, "ackclock."):
        # Files to start from are no modules of ackclock.
        if ".templates" in module.name or module.name.endswith("__main__"):
            continue
        for _, one in inspect.getmembers(importlib.import_module(module.name), inspect.isclass):
            if issubclass(one, BaseException) and one.__module__.startswith("ackclock"):
                found.add(one)
    return found


def test_every_kind_of_error_has_a_code_of_its_own():
    errors = raised() - NO_ERRORS
    assert [one for one in errors if "code" not in vars(one)] == []
    assert sorted((one.code, one.__name__) for one in errors) == sorted(
        (code, name) for code, name in PINNED.items() if name
    )


def test_every_code_is_explained_and_none_is_lost():
    assert list(codes()) == list(PINNED)
    assert {code for code, name in PINNED.items() if not name} | {"ACK001"} == COMMAND_LINE
    for one in codes().values():
        assert all(text.strip() for text in (one.name, one.means, one.example, one.remedy)), one
        assert one.means.endswith(".")
        assert one.remedy.endswith(".")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "hello.toml").write_text(SWEPT, encoding="utf-8")
    (tmp_path / "notes.txt").write_text("notes", encoding="utf-8")
    (tmp_path / "notes.zip").write_text("notes", encoding="utf-8")
    (tmp_path / "page.html").write_text("<html></html>", encoding="utf-8")
    (tmp_path / "empty-folder").mkdir()


def test_examples_that_are_commands_give_their_code(folder, capsys):
    tried = 0
    for one in codes().values():
        words = one.example.split()
        # Those with a comma are situations; a kernel, a cluster or root is not everywhere.
        if words[0] != "ackclock" or "," in one.example.replace("1bdp,4bdp", "") or "store" in one.example:
            continue
        if one.code in ("ACK035", "ACK050", "ACK060"):
            continue
        assert main(words[1:]) == 2, one
        assert capsys.readouterr().err.endswith(f" [{one.code}]\n"), one
        tried += 1
    assert tried >= 15


def test_an_explanation_is_printed(capsys):
    for written in ("ACK010", "ack010", "10", "ACK10"):
        assert main(["explain", written, "--json"]) == 0
        assert json.loads(capsys.readouterr().out) == {
            "code": "ACK010",
            **{key: getattr(codes()["ACK010"], key) for key in ("name", "means", "example", "remedy")},
        }
    assert main(["explain", "ACK010"]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert codes()["ACK010"].means in printed
    assert main(["explain"]) == 0
    listed = capsys.readouterr().out
    assert all(f"{one.code}  {one.name}" in listed for one in codes().values())
    assert main(["explain", "ACK999"]) == 2
    assert "no code ACK999" in capsys.readouterr().err


def test_check_has_the_code_in_its_document(folder, capsys):
    assert main(["check", "hello.toml", "--set", "bottleneck.rate=10Mbit", "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["code"] == ScenarioError.code == "ACK010"


def test_the_code_of_a_message_in_other_words_is_that_of_the_first_error():
    def again(error, kind):
        try:
            try:
                raise error
            except ValueError as first:
                raise kind(str(first)) from None
        except ValueError as last:
            return code_of(last)

    assert again(ScenarioError.of("x"), UsageError) == "ACK010"
    assert again(ValueError("x"), UsageError) == "ACK001"
    assert again(ScenarioError.of("x"), RefusedError) == "ACK009"
    assert code_of(ValueError("x")) is None
