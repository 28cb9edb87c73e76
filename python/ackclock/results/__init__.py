"""Results of a run, measures of results, and the names of both in words."""
