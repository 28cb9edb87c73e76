"""Set-ups that several studies share: networks, traffic and variants, with the measures that belong to them."""
