"""Names of measures, columns and fields: everything declared has one, with a unit, and no identifier is left in it."""

import json
import re

import pytest

from ackclock import _core
from ackclock.results.declared import TABLES
from ackclock.results.measure import MeasureError
from ackclock.results.names import (
    capital,
    column_name,
    columns,
    field_name,
    in_sentence,
    measure_label,
    measure_name,
    unit_of,
    with_unit,
)

COLUMNS = [(table["name"], column["name"]) for table in TABLES.values() for column in table["columns"]]

IDENTIFIER = re.compile(r"[_\[\].(){}]")


def fields(schema, path=""):
    """The paths of all fields of a schema, without the numbers of lists."""
    for name, inside in schema.get("properties", {}).items():
        yield f"{path}{name}"
        yield from fields(inside, f"{path}{name}.")
    for inside in [*schema.get("oneOf", []), *schema.get("anyOf", [])]:
        yield from fields(inside, path)
    if "items" in schema:
        yield from fields(schema["items"], path)


FIELDS = sorted({*fields(json.loads(_core.schema()))})


class TestColumns:
    @pytest.mark.parametrize(("table", "column"), COLUMNS)
    def test_every_declared_column_has_a_name_in_words(self, table, column):
        name = column_name(table, column)
        assert name, "give the column a name in ackclock.results.names.columns"
        assert not IDENTIFIER.search(name)
        assert not name.endswith((" ms", " s", " bps", " bytes")), "the unit is not part of the name"

    def test_the_names_of_a_table_differ(self):
        for table in TABLES.values():
            names = [column_name(table["name"], column["name"]) for column in table["columns"]]
            assert len({*names}) == len(names), table["name"]

    def test_no_name_is_of_a_column_that_is_not_declared(self):
        own = {(table, column) for table, named in columns.COLUMNS.items() for column in named}
        assert own <= {*COLUMNS}


class TestMeasures:
    @pytest.mark.parametrize(
        ("measure", "values", "label"),
        [
            ("flows[cubic].goodput_bps", [4e6], "Goodput of cubic (Mbit/s)"),
            ("flows[cubic].goodput_bps", [4e5], "Goodput of cubic (kbit/s)"),
            ("flows.goodput_bps", [4e6], "Goodput per flow (Mbit/s)"),
            ("sum(flows.goodput_bps)", [4e6], "Total goodput (Mbit/s)"),
            ("jain(flows.goodput_bps)", [1.0], "Jain's fairness index of goodput"),
            ("links[bottleneck].queue_delay_mean_ms", [3.0], "Mean queueing delay at bottleneck (ms)"),
            ("links[bottleneck].utilisation", [0.9], "Utilisation at bottleneck (%)"),
            ("sum(flows.retransmits)", [5.0], "Total retransmissions"),
            ("p95(transfers.duration_s)", [5.0], "95th percentile of transfer duration (s)"),
            ("p99.9(transfers.duration_s)", [5.0], "99.9th percentile of transfer duration (s)"),
            ("p1(transfers.duration_s)", [5.0], "1st percentile of transfer duration (s)"),
            ("p22(transfers.duration_s)", [5.0], "22nd percentile of transfer duration (s)"),
            ("p11(transfers.duration_s)", [5.0], "11th percentile of transfer duration (s)"),
            ("transfers.bytes", [5e6], "Mean transfer size (MB)"),
            ("transfers.bytes", [5e3], "Mean transfer size (kB)"),
            ("transfers.bytes", [5.0], "Mean transfer size (bytes)"),
            ("queues.sojourn_ms", [1.0], "Mean sojourn time (ms)"),
            ("median(window[a].cwnd)", [15e3], "Median congestion window of a (kB)"),
            ("window.in_recovery", [0.5], "Share of records in loss recovery (%)"),
            ("count(timeouts.count)", [3.0], "Number of values of expiries in a row"),
            ("delays.p95_ms", [3.0], "95th percentile of the one-way delay per flow (ms)"),
            ("measures.page_load_ms", [3.0], "Page load (ms)"),
            ("measures.score", [3.0], "Score"),
        ],
    )
    def test_labels(self, measure, values, label):
        assert measure_label(measure, values) == label

    @pytest.mark.parametrize(("table", "column"), COLUMNS)
    def test_every_column_is_a_measure_with_a_name(self, table, column):
        name = measure_name(f"{table}.{column}")
        assert name[0] in "pc" or not name[0].islower()
        assert not IDENTIFIER.search(name)
        declared = next(one["unit"] for one in TABLES[table]["columns"] if one["name"] == column)
        unit, factor = unit_of(f"{table}.{column}", [1.0])
        shown = {"bit/s": ("kbit/s", 1e-3), "": ("", 1.0)}.get(declared, (declared, 1.0))
        assert (unit, factor) in (shown, ("%", 100.0))

    def test_shares_are_in_per_cent(self):
        shares = {
            (table["name"], column["name"])
            for table in TABLES.values()
            for column in table["columns"]
            if unit_of(f"{table['name']}.{column['name']}")[0] == "%"
        }
        assert shares == {
            ("links", "utilisation"), ("links", "drop_rate"), ("cbr", "loss"), ("voip", "loss"),
            ("call", "loss"), ("call_frames", "key"),
            ("window", "in_recovery"), ("window", "non_validated"), ("packets", "retransmission"),
            ("sack_blocks", "duplicate"), ("timeouts", "spurious"), ("delay_cdf", "quantile"),
        }  # fmt: skip
        assert unit_of("jain(flows.goodput_bps)") == ("", 1.0)
        assert unit_of("count(links.utilisation)") == ("", 1.0)

    def test_what_is_no_measure_is_refused(self):
        with pytest.raises(MeasureError, match="not a column"):
            measure_name("goodput")


class TestFields:
    @pytest.mark.parametrize(
        ("path", "name"),
        [
            ("flows[0].cc", "Congestion control of video"),
            ("flows[7].cc", "Congestion control of flow 7"),
            ("flows[web].cc", "Congestion control of web"),
            ("flows[*].cc", "Congestion control"),
            ("flows[0].app.size", "Size of the data of video"),
            ("flows[0].min_rto", "Minimum RTO of video"),
            ("bottleneck.queue", "Buffer"),
            ("bottleneck.queue.limit", "Buffer"),
            ("bottleneck.rate", "Rate of the bottleneck"),
            ("links[far].rate", "Rate of link far"),
            ("access.source_delay", "Source delay of the access links"),
            ("packet_size", "Packet size"),
            ("my setting", "my setting"),
            ("variant_b", "variant_b"),
        ],
    )
    def test_names(self, path, name):
        assert field_name(path, ["video", "web"]) == name

    def test_a_queue_of_names_is_no_buffer(self):
        assert field_name("bottleneck.queue", is_amount=False) == "Queue"

    def test_every_field_of_a_scenario_has_a_name_in_words(self):
        names = {path: field_name(path) for path in FIELDS}
        wrong = {path: name for path, name in names.items() if IDENTIFIER.search(name) or name != capital(name)}
        assert wrong == {}

    def test_there_are_fields_to_name(self):
        assert {"bottleneck.rate", "flows.cc", "flows.app.size", "links.ends"} <= {*FIELDS}


def test_names_inside_sentences_keep_their_own_capitals():
    assert in_sentence("Goodput of Reno") == "goodput of Reno"
    assert in_sentence("DASH segments") == "DASH segments"
    assert in_sentence("Jain's fairness index of goodput") == "Jain's fairness index of goodput"
    assert capital("cwnd of a") == "cwnd of a"
    assert with_unit("Delay", "") == "Delay"
