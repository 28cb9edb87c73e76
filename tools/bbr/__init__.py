"""Writes the page with the results of the BBR draft's test cases."""
