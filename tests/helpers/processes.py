"""Other processes."""

from pathlib import Path


def is_alive(number):
    """Whether a process runs: not one that has ended and was not waited for."""
    try:
        state = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"
