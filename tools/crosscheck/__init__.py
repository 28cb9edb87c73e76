"""The same dumbbell in ackclock, in ns-2 and in ns-3: measures of each algorithm, and the causes of differences.

Each algorithm runs alone and beside a Reno flow over 20 Mbit/s, 40 ms and a queue of one bandwidth-delay product.
The utilisation, loss rate and mean queue of the flow alone are compared, and its share beside Reno. `algorithms.toml`
lists the pairs of algorithms, and explains each difference of more than a tenth. ``make crosscheck``
runs it; ``python -m tools.crosscheck ns-2 TcpBic`` runs all of ns-2's and one more.
"""
