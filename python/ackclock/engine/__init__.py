"""Runs: of scenarios, over cores and in processes of their own, with traces, and compared in pairs."""
