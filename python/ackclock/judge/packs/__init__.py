"""Packs: one archive with everything that repeats an experiment, and the check that it does."""

from ackclock.judge.packs.archive import FORMAT, Packed, PackError, pack, read
from ackclock.judge.packs.verify import Verified, verify

__all__ = ["FORMAT", "PackError", "Packed", "Verified", "pack", "read", "verify"]
