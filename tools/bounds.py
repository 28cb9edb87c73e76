"""The bounds of claims, and every change of one: ``python -m tools.bounds`` writes docs/bounds-that-changed.md.

``python/ackclock/studies/bounds.toml`` pins what each claim asserts: its published number, its side, its bound and its
tolerance. A claim whose terms differ from the pinned ones fails a test, unless an entry of ``[[changes]]`` says when
and why they changed. ``python -m tools.bounds --pin`` pins the terms of claims that are new; it never changes a pin.
``python -m tools.bounds --history`` lists the changes that the history of the repository has and that no entry names.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ackclock import studies
from ackclock.studies.framework import load_claims
from tools.verdicts import ROOT, claims_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from ackclock.studies.framework import Claim

FOLDER = "python/ackclock/studies"
PINS = ROOT / FOLDER / "bounds.toml"
PAGE = ROOT / "docs/bounds-that-changed.md"

TERMS = ("expect", "published", "bound", "tolerance")
"""The fields of a claim that its verdict hangs on."""
INTRODUCTION = """\
# Bounds that changed, and why

*For those who ask whether a verdict was helped by a bound that moved after the measurement.*

A claim is judged by a bound or a tolerance that follows from its source, and a bound that moves once the measurement is
known proves nothing. This page lists every claim whose published number, side, bound or tolerance changed after the
claim was first written, with the reason. "Same commit" means that the change came with a new measurement of the claim,
"later" that a measurement was on record before. Bounds that changed before anything was measured are "before".

`python/ackclock/studies/bounds.toml` pins the terms of all claims, and a test refuses a change without an entry there.
`python -m tools.bounds --history` searches the history of the repository for changes that have no entry, and
`python -m tools.bounds` writes this page.
"""


@dataclass(frozen=True, slots=True)
class Change:
    """A change of what a claim asserts."""

    study: str
    claim: str
    old: str
    """The terms before, as `told` has them."""
    new: str
    commit: str
    """The commit that changed it; empty for a change that this history does not name by its digest."""
    date: str
    when: str
    """``before``, ``same commit`` or ``later``, in relation to the measurement."""
    reason: str
    """A key of ``[reasons]``."""


def told(claim: Claim) -> str:
    """Assertion of a claim, as one line."""
    if claim.expect == "value":
        return f"value {claim.published:g} within {claim.tolerance:g}"
    published = claim.published if isinstance(claim.published, str) else f"{claim.published:g}"
    return f"{claim.expect} {claim.bound:g}, published {published}"


@dataclass(frozen=True, slots=True)
class Pins:
    """The content of ``bounds.toml``."""

    pinned: Mapping[str, Mapping[str, str]]
    """The terms of every claim when it was pinned, by study and claim."""
    changes: Sequence[Change]
    """The changes, the oldest first."""
    reasons: Mapping[str, str]
    dropped: Sequence[Mapping[str, str]]
    """Claims that no longer exist, with what answers their sentence now."""

    @property
    def terms(self) -> dict[str, dict[str, str]]:
        """The terms that claims have: those of the last change, or those of the pin."""
        terms = {study: dict(claims) for study, claims in self.pinned.items()}
        for change in self.changes:
            if change.claim in terms.get(change.study, ()):
                terms[change.study][change.claim] = change.new
        return terms


def load(text: str) -> Pins:
    """The pins from the text of ``bounds.toml``."""
    data = tomllib.loads(text)
    changes = [Change(**entry) for entry in data.get("changes", ())]
    return Pins(data["pinned"], changes, data.get("reasons", {}), data.get("dropped", ()))


def pins() -> Pins:
    """The pins of today."""
    return load(PINS.read_text(encoding="utf-8"))


def faults(claims: Mapping[str, Mapping[str, Claim]], kept: Pins) -> list[str]:
    """The claims that are not pinned, were dropped, or whose terms changed without an entry."""
    terms = kept.terms
    found = []
    for study, own in claims.items():
        known = terms.get(study, {})
        found += [f"{study}: {name} is not pinned" for name in own if name not in known]
        found += [f"{study}: {name} is pinned and was dropped" for name in known if name not in own]
        found += [
            f"{study}: {name} asserts {told(claim)!r} and not {known[name]!r}; a change needs an entry with its reason"
            for name, claim in own.items()
            if name in known and told(claim) != known[name]
        ]
    found += [
        f"{one.study}: the change of {one.claim} has no reason"
        for one in kept.changes
        if not kept.reasons.get(one.reason, "").strip()
    ]
    return found


def today() -> dict[str, dict[str, Claim]]:
    """The claims of all studies."""
    return {study: claims_of(study) for study in studies.names()}


def with_new(text: str, claims: Mapping[str, Mapping[str, Claim]]) -> str:
    """The file of pins with those of the claims that it lacks."""
    pinned = tomllib.loads(text).get("pinned", {}) if text else {}
    lines = text.splitlines()
    for study, own in claims.items():
        new = [f'"{name}" = {_quoted(told(claim))}' for name, claim in own.items() if name not in pinned.get(study, {})]
        if not new:
            continue
        head = f"[pinned.{study}]"
        if head not in lines:
            place = next((i for i, line in enumerate(lines) if line.startswith("[[changes]]")), len(lines))
            lines[place:place] = [head, ""]
        start = lines.index(head) + 1
        end = next(i for i in range(start, len(lines) + 1) if i == len(lines) or not lines[i])
        lines[end:end] = new
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def git(root: Path, *arguments: str) -> str:
    """The output of git in a repository."""
    done = subprocess.run(  # noqa: S603 -- the arguments are of this module
        ["git", "-C", str(root), *arguments],  # noqa: S607
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    return done.stdout


def history(root: Path, folder: str = FOLDER) -> list[Change]:
    """Every change of a claim's terms in the history of a repository, the oldest first, without a reason.

    A commit is compared with its first parent. A change that a branch made and a merge brought counts once.
    """
    pattern = f":(glob){folder}/*/claims.toml"
    log = git(root, "log", "--full-history", "--reverse", "--format=%H %as", "--", pattern)
    found: dict[tuple[str, str, str, str], Change] = {}
    for line in log.splitlines():
        commit, date = line.split()
        named = ("-m", "--first-parent", "--root", "-r", "--name-only", "--no-commit-id", commit, "--", pattern)
        for path in git(root, "diff-tree", *named).split():
            package = path.split("/")[-2]
            before, after = _claims_at(root, f"{commit}^", path), _claims_at(root, commit, path)
            measured = [_measured_at(root, place, path) for place in (f"{commit}^", commit)]
            for name in before.keys() & after.keys():
                old, new = before[name], after[name]
                if old == new:
                    continue
                was, now = (one.get(name) for one in measured)
                when = "before" if now is None and was is None else "same commit" if was != now else "later"
                study = package.replace("_", "-")
                found.setdefault((study, name, old, new), Change(study, name, old, new, commit[:8], date, when, ""))
    return list(found.values())


def _claims_at(root: Path, commit: str, path: str) -> dict[str, str]:
    """The terms of a study's claims at a commit; none where the file is absent or was another form of data."""
    try:
        claims = load_claims(git(root, "show", f"{commit}:{path}"))
    except (subprocess.CalledProcessError, ValueError, TypeError, KeyError):
        return {}
    return {name: told(claim) for name, claim in claims.items()}


def _measured_at(root: Path, commit: str, path: str) -> dict[str, Any]:
    """The numbers on record of a study at a commit, by claim."""
    try:
        record = json.loads(git(root, "show", f"{commit}:{path.replace('claims.toml', 'record.json')}"))
    except (subprocess.CalledProcessError, ValueError):
        return {}
    return {claim["id"]: claim["measured"] for claim in record["claims"]}


def unnamed(found: Iterable[Change], named: Iterable[Change]) -> list[Change]:
    """The changes that no entry names."""
    known = {(one.study, one.claim, one.old, one.new) for one in named}
    return [one for one in found if (one.study, one.claim, one.old, one.new) not in known]


def page() -> str:
    """The page as Markdown."""
    kept = pins()
    groups: dict[tuple[str, str, str], list[Change]] = {}
    for one in kept.changes:
        groups.setdefault((one.reason, one.date, one.commit), []).append(one)
    counts = ", ".join(
        f"{sum(one.when == when for one in kept.changes)} {when}" for when in ("before", "same commit", "later")
    )
    pinned = sum(map(len, kept.pinned.values()))
    lines = [INTRODUCTION, f"Of {pinned} claims, {len(kept.changes)} changes are listed: {counts}.", ""]
    for (reason, date, commit), changes in groups.items():
        where = f" (`{commit}`)" if commit else ""
        lines += [
            f"## {date}{where}",
            "",
            kept.reasons[reason],
            "",
            "| claim | before | after | when |",
            "|---|---|---|---|",
        ]
        lines += [f"| {one.study} `{one.claim}` | {one.old} | {one.new} | {one.when} |" for one in changes]
        lines.append("")
    lines += [
        "## Claims that were dropped",
        "",
        "A claim that no longer exists under its name, and the claims that answer its sentence now.",
        "",
        "| claim | asserted | dropped | why, and what answers its sentence now |",
        "|---|---|---|---|",
    ]
    lines += [
        f"| {one['study']} `{one['claim']}` | {one['old']} | {one['date']} | {one['now']} |" for one in kept.dropped
    ]
    return "\n".join([*lines, ""])


def main(arguments: list[str]) -> None:
    """Writes the page, pins new claims, or searches the history."""
    if arguments == ["--pin"]:
        PINS.write_text(with_new(PINS.read_text(encoding="utf-8"), today()), encoding="utf-8")
    if arguments == ["--history"]:
        missing = unnamed(history(ROOT), pins().changes)
        for one in missing:
            sys.stdout.write(f"{one.commit} {one.date} {one.when}: {one.study} {one.claim}: {one.old} -> {one.new}\n")
        sys.exit(bool(missing))
    wrong = faults(today(), pins())
    if wrong:
        sys.exit("\n".join(wrong))
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
