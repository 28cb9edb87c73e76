"""Commands that are disturbed in every way that a machine offers, and the table of docs/faults.md."""
