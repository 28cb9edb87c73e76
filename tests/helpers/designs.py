"""A design whose search takes a second, with its settings."""

from ackclock import learn

SMALL = {"specimens": 4, "validation": 3, "rules": 8, "patience": 1}
OPTIONS = [word for name, value in SMALL.items() for word in (f"--{name}", str(value))]
DESIGN = learn.design("tiny").read_text(encoding="utf-8").replace('duration = "4s"', 'duration = "2s"')
