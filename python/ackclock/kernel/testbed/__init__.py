"""A test bed of real programs: a clip made with ffmpeg, nginx as its server, and players behind an emulated network.

Every session is a process with a network namespace of its own, in which the server is; the player is behind the links
of a scenario (`ackclock.kernel.emulate`). The server's TCP is that of the running kernel.
"""

from ackclock.kernel.testbed.content import Clip, encode
from ackclock.kernel.testbed.programs import MissingError, require
from ackclock.kernel.testbed.session import PLAYERS, Ask, Request, Sample, Session, play

__all__ = [
    "PLAYERS",
    "Ask",
    "Clip",
    "MissingError",
    "Request",
    "Sample",
    "Session",
    "encode",
    "play",
    "require",
]
