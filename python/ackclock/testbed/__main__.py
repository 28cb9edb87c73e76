"""The process of a session."""

import sys

from ackclock.testbed.session import main

sys.exit(main())
