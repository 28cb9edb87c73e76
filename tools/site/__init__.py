"""The documentation as a site: what is written beside it, and what is generated from the sources."""
