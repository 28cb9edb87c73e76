"""The same dumbbell here, in ns-2 and in ns-3: what each algorithm does in them, and why it differs where it does.

Each algorithm runs alone and beside a Reno flow over 20 Mbit/s, 40 ms and a queue of one bandwidth-delay product.
Compared are utilisation, loss rate and mean queue of the flow alone, and its share beside Reno. `algorithms.toml` says
which of theirs is compared with which of ours, and explains each difference of more than a tenth. ``make crosscheck``
runs it; ``python -m tools.crosscheck ns-2 TcpBic`` runs all of ns-2's and one more.
"""
