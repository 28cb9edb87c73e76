"""Names in words, with units, of everything that is measured or varied: for headings, axes, tables and answers.

>>> measure_name("links[bottleneck].queue_delay_mean_ms")
'Mean queueing delay at bottleneck'
>>> with_unit(measure_name("flows[cubic].goodput_bps"), *unit_of("flows[cubic].goodput_bps", [4e6])[:1])
'Goodput of cubic (Mbit/s)'
>>> field_name("flows[0].cc", ["video"])
'Congestion control of video'
"""

from __future__ import annotations

from ackclock.results.names.columns import column_name
from ackclock.results.names.fields import field_name
from ackclock.results.names.measures import measure_label, measure_name, unit_of
from ackclock.results.names.words import capital, in_sentence, with_unit

__all__ = [
    "capital",
    "column_name",
    "field_name",
    "in_sentence",
    "measure_label",
    "measure_name",
    "unit_of",
    "with_unit",
]
