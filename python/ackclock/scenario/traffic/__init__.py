"""Applications from data of others: captures, connection vectors, and manifests of DASH."""
