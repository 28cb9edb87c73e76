"""The end of an emulated network in the namespace of the caller: its device, its addresses and its routes."""

from __future__ import annotations

import errno
import ipaddress
import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ackclock._errors import RefusedError
from ackclock.kernel.emulate.inside import DEVICE, attach, quiet

if TYPE_CHECKING:
    from ipaddress import IPv4Network

__all__ = ["Block", "EmulateError", "Outside", "program"]

SHARED = ipaddress.IPv4Network("100.64.0.0/10")
"""Addresses between networks that are nobody's in particular (RFC 6598); Mahimahi takes its own from them, too."""
FIRST_PREFIX = 18
"""Length of the prefix of an emulated network in a namespace that is not itself inside one."""
STEP = 3
"""Bits by which the block of a nested network is smaller than the one that it is in."""
LONGEST_PREFIX = 30


class EmulateError(RefusedError):
    """The machine lacks something that emulation needs, or the emulation failed; the message says what."""

    code = "ACK052"


@dataclass(frozen=True)
class Block:
    """The addresses of an emulated network."""

    network: IPv4Network
    """All of them, with those of networks nested inside."""

    @property
    def outside(self) -> str:
        """The address of the caller's end, at which the command reaches the machine."""
        return str(self.network[1])

    @property
    def inside(self) -> str:
        """The address of the command's end."""
        return str(self.network[2])


def program() -> str:
    """The path of iproute2's ip.

    Raises
    ------
    EmulateError
        If it is not installed.
    """
    found = shutil.which("ip", path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/sbin"]))
    if found is None:
        raise EmulateError("emulation needs ip; on Debian: apt-get install iproute2")
    return found


class Outside:
    """The caller's end. The device, and with it the addresses and routes, ends with the process, whatever ends that."""

    def __init__(self, mtu: int) -> None:
        ip = program()
        blocks = _blocks(ip)
        for number, network in enumerate(blocks):
            name = f"ackclock{number}"
            try:
                self.tun = attach(name)
            except OSError as error:
                # A device with this name is somebody else's: each emulator takes the first name that is free.
                if error.errno == errno.EBUSY:
                    continue
                raise EmulateError(_reason(error)) from None
            self.name, self.block = name, Block(network)
            break
        else:
            raise EmulateError(f"all {len(blocks)} blocks of addresses of this namespace are in use; end an emulation")
        try:
            quiet(name)
            run(ip, "address", "add", f"{self.block.outside}/{network.prefixlen}", "dev", name)
            run(ip, "link", "set", "dev", name, "mtu", str(mtu), "txqueuelen", "1000", "up")
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Removes the device."""
        os.close(self.tun)


def run(*command: str) -> str:
    """Runs a program and returns its output.

    Raises
    ------
    EmulateError
        If it fails.
    """
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 -- the callers' are fixed
    if done.returncode:
        raise EmulateError(f"{' '.join(command)}: {(done.stdout + done.stderr).strip()}")
    return done.stdout


def _blocks(ip: str) -> list[IPv4Network]:
    """The blocks of addresses for networks of this namespace that nobody else has a route to."""
    routes: list[dict[str, Any]] = json.loads(run(ip, "-json", "-4", "route", "show", "table", "all") or "[]")
    taken, own = [], None
    for route in routes:
        device = str(route.get("dev", ""))
        destination = route.get("dst", "default")
        if route.get("type", "unicast") != "unicast" or destination == "default":
            continue
        network = ipaddress.IPv4Network(destination, strict=False)
        if device == DEVICE:
            own = network
        elif not device.startswith("ackclock") and network.overlaps(SHARED):
            taken.append(network)
    if own is None:
        candidates = list(SHARED.subnets(new_prefix=FIRST_PREFIX))
    elif own.prefixlen + STEP > LONGEST_PREFIX:
        raise EmulateError("networks can be nested five deep, and this would be the sixth")
    else:
        # The first part has the addresses of the network itself.
        candidates = list(own.subnets(STEP))[1:]
    return [one for one in candidates if not any(one.overlaps(other) for other in taken)]


def _reason(error: OSError) -> str:
    if error.errno == errno.ENOENT:
        return "emulation needs /dev/net/tun, which this machine does not have; on Linux: modprobe tun"
    if error.errno in (errno.EPERM, errno.EACCES):
        return (
            "emulation needs the right to make network devices: root, or a user namespace of its own, as in "
            "unshare --user --map-root-user --net ackclock emulate ..."
        )
    return f"/dev/net/tun: {error.strerror}"
