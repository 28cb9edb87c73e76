"""The requirements of the RFCs, the places in the code that obey them, and the tests that prove them.

``docs/compliance/rfcs`` holds one table for each RFC. Annotations in the sources name a requirement by its section and
its quotation. :mod:`tools.compliance.report` joins both and finds missing ones.
"""
