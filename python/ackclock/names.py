"""Names in words, with units, of everything that is measured or varied: for headings, axes, tables and answers.

The public name of `ackclock.results.names`.
"""

from ackclock.results.names import (
    capital,
    column_name,
    field_name,
    in_sentence,
    measure_label,
    measure_name,
    unit_of,
    with_unit,
)

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
