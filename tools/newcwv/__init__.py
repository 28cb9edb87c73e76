"""The rules of RFC 7661 in the simulator's newCWV and in that of the running Linux, beside each other."""
