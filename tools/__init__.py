"""Development tools that are not part of the package: cross-checks, the documentation site, generators."""
