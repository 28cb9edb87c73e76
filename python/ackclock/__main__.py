"""``python -m ackclock``: the command line."""

import sys

from ackclock._entry import main

if __name__ == "__main__":
    sys.exit(main())
