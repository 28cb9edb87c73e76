"""newCWV as its authors measured it, which decides the studies of their slides, and RFC 7661 beside it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ackclock.studies.framework.grid import Grid, Reading, Variant, hash_of
from ackclock.studies.framework.setups.newcwv import NEWCWV, PACED, SPREAD
from ackclock.studies.framework.study import Sheet, side_sheet

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from ackclock.results.result import Result
    from ackclock.studies.framework.claims import ClaimResult
    from ackclock.studies.framework.lab import Lab

__all__ = [
    "FORMS",
    "MODULE",
    "MODULE_2013",
    "MODULE_2013_PACED",
    "MODULE_2013_SPREAD",
    "MODULE_PACED",
    "MODULE_SPREAD",
    "OF_2014",
    "RFC_7661",
    "both_forms",
    "form_hashes",
    "forms_sheet",
    "in_rfc",
    "is_rfc",
    "of_2014",
]

OF_2014, RFC_7661 = "newcwv-2014", "RFC 7661"
"""The forms of newCWV. The slides measured a Linux module of draft -05 in early 2014, and the RFC is of 2015. They
differ in what is validated, in how often it is sampled, and in the window after a loss."""


def _in_form(variant: Variant, rule: str) -> Variant:
    """A variant of RFC 7661 with a form of the authors' module instead.

    The module's instructions switched off F-RTO, and the restart after idle, which the rule replaces.
    """
    flows = [path.rpartition(".")[0] for path, value in variant.overrides.items() if value == "newcwv"]
    form = {path: value for flow in flows for path, value in ((f"{flow}.validation", rule), (f"{flow}.frto", False))}
    return replace(variant, overrides={**variant.overrides, **form})


def of_2014(variant: Variant) -> Variant:
    """A variant with the module of 19 February 2014 in the place of RFC 7661; one without newCWV stays as it is."""
    return _in_form(variant, OF_2014)


def _named(variant: Variant, rule: str) -> Variant:
    """A variant in a form of the module that has the name and the label of the form."""
    name, label = variant.name.replace("newcwv", rule), variant.label.replace("newCWV", rule)
    return replace(_in_form(variant, rule), name=name, label=label)


MODULE, MODULE_PACED, MODULE_SPREAD = (_named(one, OF_2014) for one in (NEWCWV, PACED, SPREAD))
"""The module from 19 February 2014: ssthresh at a loss is half of what is in flight."""

MODULE_2013, MODULE_2013_PACED, MODULE_2013_SPREAD = (_named(one, "newcwv-2013") for one in (NEWCWV, PACED, SPREAD))
"""The module from December 2013 to 6 February 2014: ssthresh at a loss is half of cwnd."""

FORMS = {
    RFC_7661: (NEWCWV, PACED, SPREAD),
    OF_2014: (MODULE, MODULE_PACED, MODULE_SPREAD),
    "newcwv-2013": (MODULE_2013, MODULE_2013_PACED, MODULE_2013_SPREAD),
}
"""Form of newCWV to its variants without pacing, with the pacing of Linux 3.12's FQ, and paced over an SRTT."""


def in_rfc(reading: str) -> str:
    """The name of a reading with newCWV of RFC 7661. What the name says besides, such as a pacing, stays behind it."""
    name, separator, rest = reading.partition("; ")
    return f"{name}; {RFC_7661}{separator}{rest}"


def is_rfc(reading: str) -> bool:
    """Whether a reading has newCWV of RFC 7661."""
    return RFC_7661 in reading.split("; ")


def both_forms(
    lab: Lab,
    readings: Sequence[Reading],
    variants: Sequence[Variant],
    seeds: Sequence[int],
    measure: Callable[[Result], Mapping[str, float]],
    deciding: Collection[str] = (),
) -> Grid:
    """Runs every reading with the module of 2014, and as a reading beside it with RFC 7661.

    Variants without newCWV are the same in both, and run once; those with it are given with newCWV of RFC 7661. The
    readings beside those named in `deciding` have as many replications as these.
    """
    module = [of_2014(one) for one in variants]
    treated = [one for one, other in zip(variants, module, strict=True) if one != other]
    twins = [replace(one, name=in_rfc(one.name)) for one in readings]
    mine = lab.part(0, 0.6).grid(readings, module, seeds, measure, deciding)
    beside = lab.part(0.6, 1).grid(twins, treated, seeds, measure, [in_rfc(one) for one in deciding])
    same = {
        (twin.name, one.name): mine.cells[reading.name, one.name]
        for reading, twin in zip(readings, twins, strict=True)
        for one in variants
        if one not in treated
    }
    return Grid(
        (*readings, *twins), tuple(variants), {**mine.seeds, **beside.seeds}, {**mine.cells, **same, **beside.cells}
    )


def form_hashes(readings: Sequence[Reading], variant: Variant) -> dict[str, str]:
    """The hash of the scenario of every reading with a variant of newCWV in both forms, by the name of the reading."""
    found = {f"{one.name}; {OF_2014}": hash_of(one, of_2014(variant)) for one in readings}
    return found | {in_rfc(one.name): hash_of(one, variant) for one in readings}


def forms_sheet(claims: Sequence[ClaimResult], main: Callable[[str], str]) -> Sheet:
    """Every claim with the module of 2014 and with RFC 7661, beside each other; `main` is as for `side_sheet`."""
    return side_sheet(claims, OF_2014, RFC_7661, main, in_rfc, "both-forms")
