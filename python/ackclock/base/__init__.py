"""What every room uses: files, tables, progress, signals, loggers, the build, and hooks for what is above."""
