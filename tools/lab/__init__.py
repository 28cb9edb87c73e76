"""The laboratory in Chromium, measured beside the native engine; not in the wheel."""
