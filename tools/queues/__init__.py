"""Sends the same packets through our queue disciplines and a kernel's, and writes a page of what differs."""
