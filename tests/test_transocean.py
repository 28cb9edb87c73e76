"""The study transocean on the real engine, at a size of seconds."""

import pytest

from ackclock.studies import transocean
from ackclock.studies.transocean import cells, verdicts

FEW = tuple(one for one in cells.VARIANTS if one.name in ("reno", "highspeed", "cubic"))


@pytest.fixture(scope="module")
def study():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(transocean, "QUICK_S", 8)
        for module in (cells, verdicts):
            patch.setattr(module, "VARIANTS", FEW)
        return transocean.reproduce(quick=True)


def test_every_claim_is_measured_with_the_smallest_buffer(study):
    assert all(list(one.readings) == [cells.MAIN, *cells.QUICK_CHOICES] for one in study.claims)
    values = {one.claim.id: one.measured.value for one in study.claims}
    assert 0 < values["reno-low"] < 100
    # The least of the others over Reno is no more than any of them over Reno.
    assert values["all-better"] <= min(values["highspeed"], values["cubic"])


def test_a_larger_buffer_holds_packets_longer(study):
    (sheet,) = (one for one in study.sheets if one.name == "utilisation")
    waits = {(row[1], row[2]): row[7] for row in sheet.rows if row[0] == cells.MAIN}
    assert len(waits) == len(FEW) * len(cells.QUICK_BUFFERS)
    assert len(sheet.rows) == len(waits) + len(FEW) * len(cells.QUICK_CHOICES)
    assert all(waits[one.label, "100 %"] > 2 * waits[one.label, "10 %"] for one in FEW)


def test_the_report_has_its_figures(study, tmp_path):
    study.write(tmp_path)
    assert (tmp_path / "report.html").read_text().count("data-plot=") == 2
    assert {path.name for path in tmp_path.iterdir()} >= {"verdicts.json", "utilisation.csv", "scenario.toml"}
