"""Scenarios, stand-ins and tools that tests of several rooms use."""
