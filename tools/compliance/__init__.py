"""What the RFCs require, where the code obeys it, and which tests prove it.

``rfcs/`` holds one table for each RFC. Annotations in the sources name a requirement by its section and its quotation;
:mod:`tools.compliance.report` joins both and finds what is missing.
"""
