"""Builds the package: fetches the scripts of reports, collects licences, checks requirements."""
