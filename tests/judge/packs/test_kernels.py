"""The comparison of a kernel's run in a pack with repetitions of it."""

import pytest

from ackclock.judge.packs.kernels import compared
from tests.helpers.tables import make_result, make_table


def result(**goodputs):
    flows = make_table(flow=[*goodputs], cc=["cubic"] * len(goodputs), goodput_bps=[*goodputs.values()])
    return make_result(1, flows=flows)


def test_rows_are_those_of_the_same_flow_whatever_their_order():
    here = [result(one=1.0, two=5.0), result(two=7.0, one=1.0)]
    found = {one.name: one for one in compared(result(two=6.0, one=1.0), here)}
    assert [*found] == ["flows[two].goodput_bps", "flows[one].goodput_bps"]
    assert (found["flows[two].goodput_bps"].packed, found["flows[two].goodput_bps"].mean) == (6.0, 6.0)
    assert all(one.equivalent for one in found.values())


@pytest.mark.parametrize(("packed", "equivalent"), [(100.0, True), (106.0, True), (1000.0, False)])
def test_a_number_far_outside_the_spread_is_not_equivalent(packed, equivalent):
    here = [result(one=value) for value in (99.0, 100.0, 101.0, 100.0, 100.0)]
    (found,) = compared(result(one=packed), here)
    assert found.equivalent is equivalent


def test_a_flow_that_one_side_lacks_is_not_equivalent():
    found = compared(result(one=1.0), [result(one=1.0, two=2.0)] * 2)
    assert [one.equivalent for one in found] == [True, False]
