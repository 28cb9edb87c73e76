"""The process of a session."""

import sys

from ackclock.kernel.testbed.session import main

sys.exit(main())
