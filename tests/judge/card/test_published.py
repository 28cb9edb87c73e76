"""Published results that rows of the card show, on shorter runs of its scenarios."""

import pytest

from ackclock.judge.card import Candidate
from tests.judge.card.made import card_of, part

pytestmark = pytest.mark.slow


def rows(card, text):
    return {one.cell.point.name: one for one in card.rows if one.row.text == text}


@pytest.fixture(scope="module")
def shallow():
    return card_of(Candidate("bbr1"), part("5.1.3", "shallow-buffer", duration="12s"), seeds=(1, 2, 3))


def test_bbr1_has_a_lasting_loss_in_shallow_buffers(shallow):
    # RFC 9743 section 5.1.3, after Hock, Bless and Zitterbart (ICNP 2017): several flows, below 1.5 BDP.
    lost = rows(shallow, "Packets lost at the bottleneck")
    assert lost["0.25 BDP"].verdict == lost["1 BDP"].verdict == "worse"
    assert lost["0.25 BDP"].mean("candidate") > 10 * lost["0.25 BDP"].mean("cubic")
    assert lost["0.25 BDP"].mean("candidate") > 5


def test_bbr1_harms_cubic_in_shallow_buffers_and_not_in_deep_ones():
    # Ware, Mukerjee, Seshan, Sherry (IMC 2019); Cardwell and others (ICCRG, IETF 97 and later).
    section = part("5.2.1", "beside-cubic", duration="25s")
    harm = rows(card_of(Candidate("bbr1"), section, seeds=range(1, 7)), "Harm to the goodput of CUBIC")
    assert [harm[point].verdict for point in ("0.25 BDP", "1 BDP", "4 BDP")] == ["worse", "worse", "as good"]
    assert harm["0.25 BDP"].mean("candidate") > 80
    assert 35 < harm["0.25 BDP"].mean("cubic") < 65, "CUBIC takes about half from itself"


def test_ledbat_yields():
    # draft-irtf-iccrg-ledbat-plus-plus section 4: flows of CUBIC get nearly the whole path where the queue is deep.
    section = part("5.2.1", "beside-cubic", duration="25s")
    harm = rows(card_of(Candidate("ledbat++"), section, seeds=(1, 2, 3)), "Harm to the goodput of CUBIC")
    assert {one.verdict for one in harm.values()} == {"as good"}
    assert harm["4 BDP"].mean("candidate") < 10 < harm["4 BDP"].mean("cubic")


def test_cubic_is_reno_friendly_in_its_region_alone():
    # RFC 9438 section 4.3: CUBIC gets what Reno gets while the product of bandwidth and delay is small.
    section = part("5.2.1", "beside-reno", duration="80s")
    harm = rows(card_of(Candidate("reno"), section, seeds=(1, 2, 3, 4)), "Harm to the goodput of Reno")
    extra = {point: one.mean("cubic") - one.mean("reno") for point, one in harm.items()}
    assert abs(extra["10 Mbit/s"]) < 8
    assert extra["100 Mbit/s"] > extra["10 Mbit/s"] + 3


def test_an_initial_window_of_ten_saves_a_round_trip():
    # RFC 6928: 14 kB fit into ten segments, and not into three, which need two rounds more.
    section = part("5.1.5", "alone", duration="6s")
    time = rows(card_of(Candidate("reno", fields=(("initial_window", "3"),)), section), "Median completion time")
    assert time["14 kB"].verdict == "worse"
    rounds = (time["14 kB"].mean("candidate") - time["14 kB"].mean("reno")) / 80
    assert 1 <= rounds <= 2.2
    assert time["14 kB"].mean("reno") == pytest.approx(80 + 40 + 6, abs=2), "a handshake, one way, and 10 packets"
