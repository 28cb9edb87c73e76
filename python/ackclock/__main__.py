"""``python -m ackclock``: the command line."""

import sys

from ackclock.cli import main

if __name__ == "__main__":
    sys.exit(main())
