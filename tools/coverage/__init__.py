"""Tables of docs/coverage.md: how often a printed 95 % interval holds the truth, and how often a gate is right."""
