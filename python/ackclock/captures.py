"""Captures of packets in the formats pcap and pcapng: their TCP segments, whatever link they were captured on.

The public name of `ackclock.scenario.traffic.captures`.
"""

from ackclock.scenario.traffic.captures import CaptureError, Segment, segments

__all__ = ["CaptureError", "Segment", "segments"]
