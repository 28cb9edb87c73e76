"""The parts that give a verdict: gates, conformance, packetdrill scripts, and the verification of packs."""
