"""Captures of packets in the formats pcap and pcapng: their TCP segments, whatever link they were captured on.

The formats are those of draft-ietf-opsawg-pcap and draft-ietf-opsawg-pcapng; link types are those of
draft-ietf-opsawg-pcaplinktype and https://www.tcpdump.org/linktypes.html.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ackclock.base import reading

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import BinaryIO

__all__ = ["CaptureError", "Segment", "segments"]

NS = 1_000_000_000
MOST_BLOCK = 16 << 20
"""Bytes of a packet or block at most; a larger length comes from damage."""

IPV4, IPV6 = 0x0800, 0x86DD
VLAN = (0x8100, 0x88A8, 0x9100)
"""EtherTypes of VLAN tags (IEEE 802.1Q and 802.1ad, and the older one of some switches)."""
FAMILIES = {2: IPV4, 10: IPV6, 23: IPV6, 24: IPV6, 28: IPV6, 30: IPV6}
"""AF_INET and AF_INET6 of Linux, Windows, NetBSD and OpenBSD, FreeBSD, macOS."""
EXTENSIONS = (0, 43, 60)
"""Next headers of IPv6 that precede the transport: hop-by-hop options, routing, destination options."""
FRAGMENT, TCP = 44, 6


class CaptureError(ValueError):
    """A capture that cannot be read, or in which no connection can."""

    code = "ACK041"


@dataclass(frozen=True, slots=True)
class Segment:
    """A TCP segment of a capture."""

    time_ns: int
    """Time since the epoch, in nanoseconds."""
    source: tuple[bytes, int]
    """Address and port of the sender."""
    destination: tuple[bytes, int]
    """Address and port of the receiver."""
    seq: int
    """Sequence number of the first byte."""
    ack: int
    """Acknowledgment number; 0 without the flag ACK."""
    flags: int
    """Flags of the header, from FIN (1) to CWR (128)."""
    length: int
    """Bytes of payload, whether the capture kept them or not."""


def segments(path: Path | str) -> Iterator[Segment]:
    """The TCP segments of a capture, in the order of the file. Other packets, and fragments of IP, are left out.

    Raises
    ------
    CaptureError
        If the file is no capture, is damaged or cut off, or has links of an unknown type.
    """
    path = Path(path)
    for time_ns, link, data, size in _packets(path):
        strip = LINKS.get(link)
        if strip is None:
            raise CaptureError(f"{path}: link type {link}; accepted: {ACCEPTED}")
        kind, start = strip(data)
        segment = _segment(time_ns, kind, data[start:], size - start)
        if segment is not None:
            yield segment


def _ethernet(data: bytes) -> tuple[int, int]:
    return _tagged(data, 12)


def _tagged(data: bytes, at: int) -> tuple[int, int]:
    """The protocol whose EtherType is at `at`, behind any VLAN tags, and where its packet begins."""
    kind = int.from_bytes(data[at : at + 2], "big")
    while kind in VLAN and at + 6 <= len(data):
        at += 4
        kind = int.from_bytes(data[at : at + 2], "big")
    return kind, at + 2


def _cooked(data: bytes) -> tuple[int, int]:
    """Linux cooked capture (SLL), of ``tcpdump -i any`` with libpcap before 1.10."""
    return _tagged(data, 14)


def _cooked2(data: bytes) -> tuple[int, int]:
    """Linux cooked capture, version 2 (SLL2), of ``tcpdump -i any``."""
    kind = int.from_bytes(data[:2], "big")
    if kind not in VLAN:
        return kind, 20
    return int.from_bytes(data[22:24], "big"), 24


def _loopback(data: bytes) -> tuple[int, int]:
    """The loopback of BSD, macOS and Windows: the address family in the byte order of the capturing host.

    A family is a small number, so that its bytes tell the order.
    """
    family = data[:4]
    return FAMILIES.get(min(int.from_bytes(family, "little"), int.from_bytes(family, "big")), 0), 4


def _raw(data: bytes) -> tuple[int, int]:
    return {4: IPV4, 6: IPV6}.get(data[0] >> 4 if data else 0, 0), 0


def _ppp(data: bytes) -> tuple[int, int]:
    """PPP, with or without its address and control fields (RFC 1662)."""
    at = 2 if data[:2] == b"\xff\x03" else 0
    return {0x21: IPV4, 0x57: IPV6}.get(int.from_bytes(data[at : at + 2], "big"), 0), at + 2


def _pktap(data: bytes) -> tuple[int, int]:
    """The header of macOS in front of packets of ``tcpdump -i any``: its length, and the link type inside."""
    if len(data) < 12:
        return 0, 0
    length, inner = struct.unpack_from("<I4xI", data)
    strip = LINKS.get(inner)
    if strip is None or strip is _pktap or not 12 <= length <= len(data):
        return 0, 0
    kind, start = strip(data[length:])
    return kind, length + start


LINKS: dict[int, Callable[[bytes], tuple[int, int]]] = {
    0: _loopback,
    1: _ethernet,
    9: _ppp,
    12: _raw,
    14: _raw,
    50: _ppp,
    101: _raw,
    108: _loopback,
    113: _cooked,
    149: _pktap,
    228: _raw,
    229: _raw,
    258: _pktap,
    276: _cooked2,
}
"""Link type to a function that gives the EtherType and the beginning of the packet of the network layer."""
ACCEPTED = "Ethernet, Linux cooked (SLL, SLL2), loopback (NULL, LOOP), raw IP, PPP, PKTAP"


def _segment(time_ns: int, kind: int, ip: bytes, size: int) -> Segment | None:
    """The TCP segment in a packet of which the network had `size` bytes; None if it is no whole segment."""
    if kind == IPV4 and len(ip) >= 20 and ip[0] >> 4 == 4:
        header = (ip[0] & 15) * 4
        total, fragment = struct.unpack_from(">H2xH", ip, 2)
        if ip[9] != TCP or fragment & 0x3FFF or header < 20:
            return None
        addresses = ip[12:16], ip[16:20]
        # A large packet that the network card cuts up says zero, as Linux's offloads do.
        end = total or size
    elif kind == IPV6 and len(ip) >= 40 and ip[0] >> 4 == 6:
        total = int.from_bytes(ip[4:6], "big")
        end = total + 40 if total else size
        protocol, header = ip[6], 40
        while protocol in EXTENSIONS and header + 8 <= len(ip):
            protocol, header = ip[header], header + 8 + 8 * ip[header + 1]
        if protocol != TCP:
            return None
        addresses = ip[8:24], ip[24:40]
    else:
        return None
    if len(ip) < header + 14:
        return None
    source, destination, seq, ack, offset, flags = struct.unpack_from(">HHIIBB", ip, header)
    length = end - header - (offset >> 4) * 4
    if offset >> 4 < 5 or length < 0:
        return None
    return Segment(time_ns, (addresses[0], source), (addresses[1], destination), seq, ack, flags, length)


def _packets(path: Path) -> Iterator[tuple[int, int, bytes, int]]:
    """Time in ns, link type, bytes and original length of the packets of a capture."""
    with reading.opened(path) as file:
        magic = file.read(4)
        if magic == b"\x0a\x0d\x0d\x0a":
            yield from _Reader(file, path).blocks()
        elif magic in MAGICS:
            yield from _Reader(file, path).records(*MAGICS[magic])
        else:
            raise CaptureError(f"{path}: no capture in the format pcap or pcapng")


MAGICS = {
    struct.pack(order + "I", number): (order, unit)
    for order in "<>"
    for number, unit in ((0xA1B2C3D4, NS // 1_000_000), (0xA1B23C4D, 1))
}
"""Magic numbers of pcap to the byte order and the unit of the fraction of a second, in ns."""


class _Reader:
    """A capture in progress, which refuses what is cut off or damaged."""

    def __init__(self, file: BinaryIO, path: Path) -> None:
        self.file = file
        self.path = path
        self.packets = 0

    def wrong(self, why: str = "") -> CaptureError:
        what = f"damaged or cut off behind packet {self.packets}{f' ({why})' if why else ''}"
        return CaptureError(f"{self.path}: {what}; accepted: a whole capture in the format pcap or pcapng")

    def take(self, size: int) -> bytes:
        if not 0 <= size <= MOST_BLOCK:
            raise self.wrong(f"a length of {size} bytes")
        data = self.file.read(size)
        if len(data) < size:
            raise self.wrong()
        return data

    def records(self, order: str, unit: int) -> Iterator[tuple[int, int, bytes, int]]:
        """The packets of a file of pcap, behind its magic number."""
        (link,) = struct.unpack_from(order + "I", self.take(20), 16)
        while head := self.file.read(16):
            if len(head) < 16:
                raise self.wrong()
            seconds, fraction, kept, size = struct.unpack(order + "IIII", head)
            data = self.take(kept)
            self.packets += 1
            # The upper bits of the link type tell of a frame check sequence.
            yield seconds * NS + fraction * unit, link & 0xFFFF, data, max(size, kept)

    def blocks(self) -> Iterator[tuple[int, int, bytes, int]]:
        """The packets of a file of pcapng, behind the type of its first block."""
        order, interfaces = self.section()
        while head := self.file.read(8):
            if len(head) < 8:
                raise self.wrong()
            kind, length = struct.unpack(order + "II", head)
            if kind == 0x0A0D0D0A:
                self.file.seek(-4, 1)
                order, interfaces = self.section()
                continue
            if length < 12 or length % 4:
                raise self.wrong(f"a block of {length} bytes")
            body = self.take(length - 8)
            if struct.unpack_from(order + "I", body, len(body) - 4)[0] != length:
                raise self.wrong("the two lengths of a block differ")
            found = self.packet(kind, body[:-4], order, interfaces)
            if found is not None:
                self.packets += 1
                yield found

    def section(self) -> tuple[str, list[tuple[int, int, int, int]]]:
        """The byte order of a section, whose header is next behind its type."""
        head = self.take(8)
        order = {b"\x4d\x3c\x2b\x1a": "<", b"\x1a\x2b\x3c\x4d": ">"}.get(head[4:])
        if order is None:
            raise self.wrong("a section without a byte order")
        (length,) = struct.unpack(order + "I", head[:4])
        if length < 28:
            raise self.wrong(f"a section header of {length} bytes")
        self.take(length - 12)
        return order, []

    def packet(
        self, kind: int, body: bytes, order: str, interfaces: list[tuple[int, int, int, int]]
    ) -> tuple[int, int, bytes, int] | None:
        """The packet of a block; None of a block without one. The description of an interface is noted."""
        try:
            if kind == 1:
                interfaces.append(_interface(body, order))
                return None
            if kind == 6:
                number, high, low, kept, size = struct.unpack_from(order + "IIIII", body)
                start = 20
            elif kind == 2:
                number, high, low, kept, size = struct.unpack_from(order + "H2xIIII", body)
                start = 20
            elif kind == 3:
                (size,) = struct.unpack_from(order + "I", body)
                # A simple packet has no time, and is as long as its interface keeps packets.
                number, high, low, start = 0, 0, 0, 4
                kept = min(size, interfaces[0][3] or size)
            else:
                return None
            link, per_second, offset, _ = interfaces[number]
        except (struct.error, IndexError):
            raise self.wrong("a packet without its interface, or a block that is too short") from None
        if start + kept > len(body):
            raise self.wrong(f"a packet of {kept} bytes in a smaller block")
        time_ns = offset * NS + ((high << 32) + low) * NS // per_second
        return time_ns, link, body[start : start + kept], max(size, kept)


def _interface(body: bytes, order: str) -> tuple[int, int, int, int]:
    """Link type, ticks in a second, offset of times in seconds, and length to which packets are kept."""
    link, most = struct.unpack_from(order + "H2xI", body)
    per_second, offset, at = 1_000_000, 0, 8
    while at + 4 <= len(body):
        code, length = struct.unpack_from(order + "HH", body, at)
        value = body[at + 4 : at + 4 + length]
        if code == 9 and value:
            per_second = 1 << (value[0] & 0x7F) if value[0] & 0x80 else 10 ** min(value[0], 30)
        elif code == 14 and len(value) == 8:
            (offset,) = struct.unpack(order + "q", value)
        if code == 0:
            break
        at += 4 + length + -length % 4
    return link, per_second, offset, most
