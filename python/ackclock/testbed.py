"""A test bed of real programs: a clip made with ffmpeg, nginx as its server, and players behind an emulated network.

The public name of `ackclock.kernel.testbed`.
"""

from ackclock.kernel.testbed import PLAYERS, Ask, Clip, MissingError, Request, Sample, Session, encode, play, require

__all__ = ["PLAYERS", "Ask", "Clip", "MissingError", "Request", "Sample", "Session", "encode", "play", "require"]
