"""Tables of the sizes of video segments as the application ``dash``.

The public name of `ackclock.scenario.traffic.ladder`.
"""

from ackclock.scenario.traffic.ladder import ManifestError, Presentation, columns, read_table

__all__ = ["ManifestError", "Presentation", "columns", "read_table"]
