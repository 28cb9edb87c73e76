"""Captures of any link give the same segments: the packets of one run, with the headers of other links in front.

The headers are those of https://www.tcpdump.org/linktypes.html; dpkt reads the original capture beside us.
"""

import struct

import dpkt
import pytest

import ackclock
from ackclock.scenario.traffic import tmix
from ackclock.scenario.traffic.captures import CaptureError, segments

SCENARIO = """
duration = "5s"
[bottleneck]
rate = "10Mbps"
delay = "20ms"
[[flows]]
name = "a"
app = { kind = "rpc", response_size = "20kB", rounds = 3, think = "700ms" }
"""


@pytest.fixture(scope="module", params=[False, True], ids=["IPv4", "IPv6"])
def packets(request, tmp_path_factory):
    """Times in ns and IP packets of a run, and the file."""
    folder = tmp_path_factory.mktemp("capture")
    ackclock.trace(SCENARIO, folder, captures=["a.source"], ipv6=request.param)
    file = folder / "a.source.pcapng"
    with file.open("rb") as opened:
        found = [(round(at * 10**9), data) for at, data in dpkt.pcapng.Reader(opened)]
    assert len(found) > 50
    return file, found


def family(packet, six, order):
    return struct.pack(order + "I", six if packet[0] >> 4 == 6 else 2)


def ether_type(packet):
    return b"\x86\xdd" if packet[0] >> 4 == 6 else b"\x08\x00"


def pktap(packet):
    header = struct.pack("<III", 108, 1, 1).ljust(108, b"\0")
    return header + bytes(12) + ether_type(packet) + packet


LINKS = {
    "raw": (101, lambda packet: packet),
    "IPv4 and IPv6": (None, lambda packet: packet),
    "Ethernet": (1, lambda packet: bytes(12) + ether_type(packet) + packet),
    "Ethernet, VLAN": (1, lambda packet: bytes(12) + b"\x81\x00\x00\x07" + ether_type(packet) + packet),
    "Ethernet, QinQ": (
        1,
        lambda packet: bytes(12) + b"\x88\xa8\x00\x07\x81\x00\x00\x08" + ether_type(packet) + packet,
    ),
    "Ethernet, padded": (1, lambda packet: (bytes(12) + ether_type(packet) + packet).ljust(60, b"\0")),
    "SLL": (113, lambda packet: b"\0\x04\0\x01\0\x06" + bytes(8) + ether_type(packet) + packet),
    "SLL2": (276, lambda packet: ether_type(packet) + bytes(18) + packet),
    "NULL of macOS": (0, lambda packet: family(packet, 30, "<") + packet),
    "NULL of FreeBSD": (0, lambda packet: family(packet, 28, "<") + packet),
    "NULL of NetBSD on a big-endian host": (0, lambda packet: family(packet, 24, ">") + packet),
    "NULL of Windows": (0, lambda packet: family(packet, 23, "<") + packet),
    "LOOP of OpenBSD": (108, lambda packet: family(packet, 24, ">") + packet),
    "PPP": (9, lambda packet: (b"\x00\x57" if packet[0] >> 4 == 6 else b"\x00\x21") + packet),
    "PKTAP": (258, pktap),
}


def pcap(link, frames, order="<", fraction=1000, magic=0xA1B2C3D4):
    parts = [struct.pack(order + "IHHiIII", magic, 2, 4, 0, 0, 1 << 18, link)]
    for time_ns, data in frames:
        head = struct.pack(order + "IIII", time_ns // 10**9, time_ns % 10**9 // fraction, len(data), len(data))
        parts.append(head + data)
    return b"".join(parts)


def block(kind, body, order="<"):
    body = body.ljust(len(body) + -len(body) % 4, b"\0")
    length = struct.pack(order + "I", len(body) + 12)
    return struct.pack(order + "I", kind) + length + body + length


def section(order="<"):
    return block(0x0A0D0D0A, struct.pack(order + "IHHq", 0x1A2B3C4D, 1, 0, -1), order)


def interface(link, order="<", ticks=9):
    options = struct.pack(order + "HHB3xHH", 9, 1, ticks, 0, 0)
    return block(1, struct.pack(order + "HHI", link, 0, 0) + options, order)


def packet_block(number, time, data, order="<"):
    head = struct.pack(order + "IIIII", number, time >> 32, time & 0xFFFFFFFF, len(data), len(data))
    return block(6, head + data, order)


@pytest.mark.parametrize("name", LINKS)
def test_a_capture_of_any_link_has_the_same_connections(packets, name, tmp_path):
    file, found = packets
    link, wrap = LINKS[name]
    if link is None:
        link = 229 if found[0][1][0] >> 4 == 6 else 228
    other = tmp_path / "other.pcap"
    other.write_bytes(pcap(link, [(at, wrap(packet)) for at, packet in found], fraction=1, magic=0xA1B23C4D))
    assert list(segments(other)) == list(segments(file))
    assert tmix.convert(other) == tmix.convert(file)


def test_headers_are_those_that_dpkt_reads(packets):
    file, found = packets
    ours = list(segments(file))
    assert len(ours) == len(found)
    for one, (at, packet) in zip(ours, found, strict=True):
        ip = (dpkt.ip6.IP6 if packet[0] >> 4 == 6 else dpkt.ip.IP)(packet)
        assert one.time_ns == pytest.approx(at, abs=1000)
        assert (one.source, one.destination) == ((ip.src, ip.data.sport), (ip.dst, ip.data.dport))
        assert (one.seq, one.ack, one.flags) == (ip.data.seq, ip.data.ack, ip.data.flags)


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize(("magic", "fraction"), [(0xA1B2C3D4, 1000), (0xA1B23C4D, 1)])
def test_either_byte_order_and_unit_of_time(packets, tmp_path, order, magic, fraction):
    file, found = packets
    other = tmp_path / "other.pcap"
    other.write_bytes(pcap(101, found, order, fraction, magic))
    assert [one.time_ns // fraction for one in segments(other)] == [one.time_ns // fraction for one in segments(file)]


def test_interfaces_of_a_pcapng_have_link_types_and_units_of_their_own(packets, tmp_path):
    file, found = packets
    half = len(found) // 2
    wrap = LINKS["SLL2"][1]
    parts = [section(), interface(101), interface(276, ticks=6), block(5, bytes(12))]
    parts += [packet_block(0, at, packet) for at, packet in found[:half]]
    parts += [packet_block(1, round(at / 1000), wrap(packet)) for at, packet in found[half:]]
    other = tmp_path / "other.pcapng"
    other.write_bytes(b"".join(parts))
    assert tmix.convert(other) == tmix.convert(file)
    big = [section(">"), interface(101, ">"), *(packet_block(0, at, packet, ">") for at, packet in found)]
    other.write_bytes(b"".join(big))
    assert list(segments(other)) == list(segments(file))


def test_a_length_of_zero_is_that_of_the_capture(packets, tmp_path):
    """Segmentation offload: the card would have filled in the length of the IP header."""
    file, found = packets
    zeroed = [
        (at, packet[:4] + b"\0\0" + packet[6:] if packet[0] >> 4 == 6 else packet[:2] + b"\0\0" + packet[4:])
        for at, packet in found
    ]
    whole = [one for one in segments(file) if one.length == 0]
    other = tmp_path / "other.pcap"
    other.write_bytes(pcap(101, zeroed))
    assert sum(one.length == 0 for one in segments(other)) >= len(whole)


def test_what_is_no_tcp_is_left_out(packets, tmp_path):
    _, found = packets
    odd = [b"", b"\x45", bytes(60), b"\x60" + bytes(39), found[0][1][:30]]
    other = tmp_path / "other.pcap"
    other.write_bytes(pcap(101, [(0, data) for data in odd] + found))
    assert len(list(segments(other))) == len(found)
    fragment = bytearray(found[0][1])
    if fragment[0] >> 4 == 4:
        fragment[6:8] = b"\x20\x00"
        other.write_bytes(pcap(101, [(0, bytes(fragment))]))
        assert list(segments(other)) == []


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"no capture at all, whatever it is", "no capture in the format pcap or pcapng"),
        (b"", "no capture in the format pcap or pcapng"),
        (pcap(147, [(0, bytes(40))]), "link type 147; accepted: Ethernet, Linux cooked"),
        (pcap(101, [(0, b"\x45" + bytes(39))])[:-1], r"cut off behind packet 0; accepted: a whole capture"),
        (pcap(101, [])[:-1], "cut off behind packet 0"),
        (section() + packet_block(0, 1, bytes(20)), "a packet without its interface"),
        (section() + interface(101) + b"\x06\0\0\0\xff\xff\xff\xff", "a block of 4294967295 bytes"),
        (section() + interface(101)[:-4] + bytes(4), "the two lengths of a block differ"),
        (b"\x0a\x0d\x0d\x0a" + bytes(24), "a section without a byte order"),
    ],
)
def test_a_damaged_capture_is_one_message(tmp_path, content, message):
    file = tmp_path / "x.pcap"
    file.write_bytes(content)
    with pytest.raises(CaptureError, match=message):
        list(segments(file))
