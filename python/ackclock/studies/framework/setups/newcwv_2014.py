"""newCWV as its authors measured it: the forms of their Linux module of early 2014, with each pacing of the studies."""

from __future__ import annotations

from ackclock.studies.framework.grid import Variant
from ackclock.studies.framework.setups.newcwv import NEWCWV, PACED, SPREAD

__all__ = ["FORMS", "MODULE", "MODULE_2013", "MODULE_2013_PACED", "MODULE_2013_SPREAD", "MODULE_PACED", "MODULE_SPREAD"]


def _module(variant: Variant, rule: str) -> Variant:
    """A variant of RFC 7661 with the authors' module instead.

    The module's instructions switched off F-RTO, and the restart after idle, which the rule replaces.
    """
    overrides = {**variant.overrides, "flows[0].validation": rule, "flows[0].frto": False}
    name, label = variant.name.replace("newcwv", rule), variant.label.replace("newCWV", rule)
    return Variant(name, label, overrides)


MODULE, MODULE_PACED, MODULE_SPREAD = (_module(one, "newcwv-2014") for one in (NEWCWV, PACED, SPREAD))
"""The module from 19 February 2014: ssthresh at a loss is half of what is in flight."""

MODULE_2013, MODULE_2013_PACED, MODULE_2013_SPREAD = (_module(one, "newcwv-2013") for one in (NEWCWV, PACED, SPREAD))
"""The module from December 2013 to 6 February 2014: ssthresh at a loss is half of cwnd."""

FORMS = {
    "RFC 7661": (NEWCWV, PACED, SPREAD),
    "newcwv-2014": (MODULE, MODULE_PACED, MODULE_SPREAD),
    "newcwv-2013": (MODULE_2013, MODULE_2013_PACED, MODULE_2013_SPREAD),
}
"""Form of newCWV to its variants without pacing, with the pacing of Linux 3.12's FQ, and paced over an SRTT."""
