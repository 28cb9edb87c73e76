"""Runs a fixed set of scenarios in the simulator and in a kernel in virtual time, and writes a page of what differs."""
