"""``ackclock report``: a page of the results in a folder."""

from __future__ import annotations

import shlex
from pathlib import Path  # noqa: TC003 -- cyclopts reads the annotations
from typing import TYPE_CHECKING, Any

from ackclock.base import files, reading
from ackclock.base.documents import parse
from ackclock.cli.contrasts import control_of
from ackclock.cli.output import UsageError, print_json, say

if TYPE_CHECKING:
    from ackclock.report.experiment import SweepReport

__all__ = ["report", "write_front"]

VERDICTS = "verdicts.json"


def report(
    folder: Path,
    /,
    *,
    out: Path | None = None,
    of: tuple[str, ...] = (),
    sweep: str | None = None,
    against: str | None = None,
    question: str | None = None,
    json: bool = False,
) -> int:
    """Write a store, or several reproduced studies, as one HTML file that needs no other file and no network.

    Parameters
    ----------
    folder
        The store of a sweep, or the folder of `ackclock reproduce --out` with several studies.
    out
        The file to write; by default report.html in the folder. A name without .html gets this ending.
    of
        A measure to show, such as flows.goodput_bps or p95(flows[video].srtt_ms). Can be repeated. By default, the
        usual measures are shown.
    sweep
        The sweep, if the store has several: its name, or the beginning of its id.
    against
        PATH=VALUE, such as flows[0].cc=reno: compare the other values of PATH with this one, with a figure for each
        measure.
    question
        The question that the page begins with. By default, it follows from what was varied and measured.
    json
        Print one JSON document with the contents of the file.
    """
    if out is not None and not out.is_dir() and out.suffix not in (".html", ".htm"):
        out = out.with_name(f"{out.name}.html")
    target = folder / "report.html" if out is None else out
    if target.is_dir():
        raise UsageError(f"--out {target}: a folder; name the file to write")
    if out is not None and not target.parent.is_dir():
        raise UsageError(f"--out {target}: {target.parent} is no folder")
    if not (folder / files.STORE).exists() and _studies(folder):
        if of or any(one is not None for one in (sweep, against, question)):
            raise UsageError(
                f"{folder} holds studies: --of, --sweep, --against and --question are for the store of a sweep"
            )
        document = _front(folder, target, out)
    else:
        document = _store(folder, target, out, of, sweep, against, question or "")
    if json:
        print_json(document)
    else:
        say(f"report: {target} ({document['bytes'] / 1e3:,.0f} kB)")
        for left in document["left_out"]:
            say(left.replace("`", ""))
    return 0


def _studies(folder: Path) -> list[Path]:
    """The files of verdicts in a folder: its own, or those of the folders inside."""
    own = folder / VERDICTS
    return [own] if own.is_file() else sorted(folder.glob(f"*/{VERDICTS}"))


def write_front(folder: Path) -> Path:
    """Writes the page of all verdicts of the studies in a folder, and returns its path."""
    target = folder / "report.html"
    _front(folder, target, None)
    return target


def _front(folder: Path, target: Path, out: Path | None) -> dict[str, Any]:
    from ackclock.report.front import front_report

    if out is None and (folder / VERDICTS).is_file():
        raise UsageError(f"{folder}: this study has its report, {target}; name another file with --out")
    documents: list[Any] = []
    links: dict[str, str] = {}
    for path in _studies(folder):
        try:
            document = parse(reading.contents(path))
            links[document["study"]] = _address(path.with_name("report.html"), target)
            documents.append(document)
        except OSError as error:
            raise UsageError(f"{path}: cannot be read: {error.strerror}") from None
        except (ValueError, KeyError, TypeError):
            raise UsageError(f"{path}: not the verdicts of a study; `ackclock reproduce` writes them") from None
    try:
        page = front_report(documents, links=links, command=_command(folder, out, []))
    except (KeyError, TypeError, AttributeError) as error:
        raise UsageError(f"{folder}: the verdicts of a study lack {error}; `ackclock reproduce` writes them") from None
    page.write(target)
    studies = [document["study"] for document in documents]
    return {"report": str(target), "bytes": target.stat().st_size, "studies": studies, "left_out": []}


def _address(page: Path, target: Path) -> str:
    """The address of a page, relative to another page."""
    from urllib.parse import quote

    try:
        return quote(page.resolve().relative_to(target.parent.resolve()).as_posix())
    except ValueError:
        return page.resolve().as_uri()


def _store(
    folder: Path,
    target: Path,
    out: Path | None,
    of: tuple[str, ...],
    sweep: str | None,
    against: str | None,
    question: str,
) -> dict[str, Any]:
    from ackclock.report.experiment import sweep_report
    from ackclock.results.measure import Measure
    from ackclock.store import open_store

    measures = [str(Measure.parse(one)) for one in of]
    options = [part for one in of for part in ("--of", one)]
    options += ["--sweep", sweep] if sweep is not None else []
    options += ["--against", against] if against is not None else []
    options += ["--question", question] if question else []
    with open_store(folder, sweep=sweep, mixed=True) as store:
        control = control_of(store.sweeps[0].points, against) if against is not None and store.sweeps else None
        command = _command(folder, out, options)
        made: SweepReport = sweep_report(store, measures, against=control, question=question, command=command)
    files.write_text(target, made.report.html())
    return {
        "report": str(target),
        "bytes": target.stat().st_size,
        "sweep": store.sweeps[0].id,
        "measures": list(made.measures),
        "figures": list(made.figures),
        "left_out": list(made.left_out),
    }


def _command(folder: Path, out: Path | None, options: list[str]) -> str:
    return shlex.join(["ackclock", "report", str(folder), *([] if out is None else ["--out", str(out)]), *options])
