"""Two bursts of short flows that compete on a wireless access link: EDGE, HSPA or LTE.

`cells` has the networks, the bursts and the readings, `measures` the numbers that are taken from a run, `figures` the
figures by number of flows, and `windows` the comparison of an initial window of 3 segments with one of 10.
"""

__all__ = ["SOURCE"]

SOURCE = "Järvinen, Nyrhinen, Ding, Kojo, IETF 79"
"""The slides whose networks and bursts these are."""
