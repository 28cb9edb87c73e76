"""What ends in a verdict: gates, conformance, packetdrill scripts, and packs that are verified."""
