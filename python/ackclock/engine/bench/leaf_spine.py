"""The workload leaf-spine: a fabric of 1,024 hosts with remote procedure calls and incast under DCTCP.

Each of 32 leaves has 32 hosts of 10 Gbit/s and a link of 40 Gbit/s to each of 4 spines; queues there mark above 65
packets. One host of a leaf asks 15 hosts of the next leaf for 32 kB at once, again and again, which is incast. Eight
other hosts of a leaf each ask a host of another leaf for answers of 2 kB to 20 MB, most of them short. A pair of hosts
stays on one spine, as with ECMP.
"""

from __future__ import annotations

from typing import Any

__all__ = ["HOSTS", "NAME", "text"]

NAME = "leaf-spine"
LEAVES, SPINES = 32, 4
SERVERS = 15
"""Hosts that answer a client at once; with the client, half of the hosts of a leaf."""
PAIRS = 8
"""Clients of a leaf with one server each."""
HOSTS = LEAVES * (SERVERS + 1 + 2 * PAIRS)
RATE, DELAY = "40Gbps", "5us"
QUEUE = (
    'queue = { kind = "red", limit = "1MB", q_weight = 1.0, thresh = 65.0, maxthresh = 65.5, gentle = false, '
    "queue_in_bytes = false, bytes = false, setbit = true, use_mark_p = true, mark_p = 1.0 }"
)
ANSWERS = '{ kind = "pareto", shape = 1.1, scale = "2kB", cap = "20MB" }'


def text(duration: str = "50ms") -> str:
    """Returns the scenario, as TOML."""
    links = [(leaf, spine) for leaf in range(LEAVES) for spine in range(SPINES)]
    parts = [
        f'name = "{NAME}"\nduration = "{duration}"\n',
        # The first leaf and the first spine are the nodes of the link that every scenario has.
        f'[bottleneck]\nrate = "{RATE}"\ndelay = "{DELAY}"\n{QUEUE}\n',
        '[access]\nrate = "10Gbps"\nsource_delay = "5us"\nsink_delay = "5us"\n',
        *(
            f'[[links]]\nname = "up-{leaf}-{spine}"\nends = ["{_leaf(leaf)}", "{_spine(spine)}"]\n'
            f'rate = "{RATE}"\ndelay = "{DELAY}"\n{QUEUE}\n'
            for leaf, spine in links[1:]
        ),
    ]
    for leaf in range(LEAVES):
        incast = f'{{ kind = "rpc", servers = {SERVERS}, response_size = "32kB", think = "100us" }}'
        parts.append(_flow(f"incast-{leaf}", [(leaf + 1) % LEAVES, leaf % SPINES, leaf], 1, incast))
        for spine in range(SPINES):
            other = (leaf + 3 + 7 * spine) % LEAVES
            short = f'{{ kind = "rpc", response_size = {ANSWERS}, think = {{ kind = "exponential", mean = "50us" }} }}'
            parts.append(_flow(f"calls-{leaf}-{spine}", [other, spine, leaf], PAIRS // SPINES, short))
    return "\n".join(parts)


def _flow(name: str, route: list[int], count: int, app: str) -> str:
    """Flows over two leaves and the spine between them."""
    server, spine, client = route
    nodes: list[Any] = [_leaf(server), _spine(spine), _leaf(client)]
    listed = ", ".join(f'"{node}"' for node in nodes)
    return (
        f'[[flows]]\nname = "{name}"\ncount = {count}\nroute = [{listed}]\napp = {app}\nstart_jitter = "100us"\n'
        'stack = "linux"\ncc = "dctcp"\necn = "dctcp"\nmin_rto = "10ms"\n'
    )


def _leaf(number: int) -> str:
    return "left" if number == 0 else f"leaf-{number}"


def _spine(number: int) -> str:
    return "right" if number == 0 else f"spine-{number}"
