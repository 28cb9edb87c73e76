"""Measures the emulator against what it promises: rates, delays, and nothing left behind."""
