"""How often a printed 95 % interval holds the truth, and how often a gate is right: the tables of docs/coverage.md."""
