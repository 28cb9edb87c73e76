"""Time and memory of commands over stores, reports, logs and runs that grow: the tables of docs/sizes.md."""
