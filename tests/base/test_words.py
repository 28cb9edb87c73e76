"""Quantities that are read from text, and cells of Markdown."""

import pytest

from ackclock.base.markdown import cell, table_row
from ackclock.base.quantities import RATES, TIMES, VOLUMES, quantity


@pytest.mark.parametrize(
    ("text", "units", "number"),
    [
        ("20ms", TIMES, 20_000_000),
        ("1.5 s", TIMES, 1_500_000_000),
        ("2min", TIMES, 120_000_000_000),
        ("10Mbps", RATES, 10_000_000),
        ("64KiB", VOLUMES, 65_536),
    ],
)
def test_a_quantity_is_in_the_smallest_unit(text, units, number):
    assert quantity(text, units) == number


@pytest.mark.parametrize("text", ["20", "20 packets", "ms", "1.2.3s", "-1s", "1bdp", 20, None, {"kind": "uniform"}])
def test_what_is_no_time_is_refused(text):
    with pytest.raises(ValueError, match="is no quantity in ns, us, ms, s, min, h"):
        quantity(text, TIMES)


def test_a_cell_does_not_end_its_row():
    assert cell("a | b\nc") == "a \\| b c"
    assert table_row(["a|b", "c"]) == "| a\\|b | c |"
