"""The delay of a path when it is idle and when it is loaded, and the grade of its increase.

The public name of `ackclock.results.bufferbloat`.
"""

from ackclock.results.bufferbloat import GRADES, Bufferbloat, bufferbloat, pings

__all__ = ["GRADES", "Bufferbloat", "bufferbloat", "pings"]
