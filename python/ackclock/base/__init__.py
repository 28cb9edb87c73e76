"""The parts that every room uses: files, tables, progress, signals, loggers, the build, and hooks to rooms above."""
