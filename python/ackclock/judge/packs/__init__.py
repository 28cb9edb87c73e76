"""Packs: one archive with everything that repeats an experiment, and the check that it does."""

from ackclock.judge.packs.archive import Packed, PackError, pack
from ackclock.judge.packs.contents import FORMAT
from ackclock.judge.packs.verify import CONFINED, TRUSTED, Verified, verify

__all__ = ["CONFINED", "FORMAT", "TRUSTED", "PackError", "Packed", "Verified", "pack", "verify"]
