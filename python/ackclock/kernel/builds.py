"""Building kernels into the user's cache, where each has a folder that is there as a whole or not at all."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ackclock.base.documents import DocumentError, parse_object, texts
from ackclock.base.workplace import sweep_up, workplace
from ackclock.kernel import configuration, registers
from ackclock.kernel.process import end, require_linux, started
from ackclock.kernel.source import KernelError, Source, check_tree, locate, unpack

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["TOOLS", "Built", "KernelError", "build", "built", "cache", "missing_tools", "recipe"]

TOOLS = {
    "make": "make",
    "gcc": "gcc",
    "ld": "binutils",
    "flex": "flex",
    "bison": "bison",
    "bc": "bc",
    "perl": "perl",
}
"""The programs that a build needs, with the packages of Debian that have them."""

WORKPLACE = ".building-"
"""The name begins with a point, so that no search of kernels finds a build that was killed."""
INFO = "kernel.json"
BINARY = "linux"


@dataclass(frozen=True)
class Built:
    """A kernel in the cache."""

    version: str
    """The version of the source, such as 6.12.117."""
    hz: int
    """Ticks a second (jiffies); some congestion controls measure in them."""
    source: str
    """The path of the source that it was built from."""
    digest: str
    """Identifies source, configuration and tick: 16 hexadecimal digits."""
    missing: tuple[str, ...]
    """Options that the source does not have, as names of Kconfig."""
    folder: Path
    recipe: str = ""
    """Identifies the options and what is linked into the kernel; empty for kernels of earlier versions."""

    @property
    def binary(self) -> Path:
        """The program."""
        return self.folder / BINARY

    @property
    def is_of_tree(self) -> bool:
        """Whether its source was a tree, which may be patched, and no tarball."""
        return ".tar" not in Path(self.source).name

    @property
    def is_current(self) -> bool:
        """Whether it was built as builds are done now."""
        return self.recipe == recipe()

    @property
    def modules(self) -> list[str]:
        """The congestion controls that it has."""
        return [name for name, option in configuration.MODULES.items() if f"TCP_CONG_{option}" not in self.missing]


def recipe() -> str:
    """Identifies the options of a kernel that is built now, and what is linked into it."""
    parts = (configuration.fragment(), registers.SPARED.read_text(encoding="utf-8"))
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def cache() -> Path:
    """The folder of the kernels: XDG_CACHE_HOME/ackclock/kernels, or ~/.cache/ackclock/kernels.

    Raises
    ------
    KernelError
        If there is no home directory.
    """
    home = os.environ.get("XDG_CACHE_HOME")
    try:
        place = Path(home) if home else Path.home() / ".cache"
    except RuntimeError:
        # Neither HOME nor the system's list of users has it.
        raise KernelError(
            "this user has no home directory for the cache of kernels; accepted: HOME or XDG_CACHE_HOME with a folder"
        ) from None
    return place / "ackclock" / "kernels"


def built() -> list[Built]:
    """The kernels of the cache, by version and tick; raises a KernelError for one that is damaged.

    Of several, those of tarballs come first, and then those with the options that builds have now.
    """
    found = [_described(file) for file in sorted(cache().glob(f"*/{INFO}"))]
    return sorted(found, key=lambda one: (one.version, one.hz, one.is_of_tree, not one.is_current))


def _described(file: Path) -> Built:
    try:
        info = parse_object(file.read_bytes())
        told = {name: info[name] for name in ("version", "source", "digest")}
        hz, missing, recipe = info["hz"], info["missing"], info.get("recipe", "")
        if type(recipe) is not str or not all(isinstance(one, str) for one in told.values()) or type(hz) is not int:
            raise TypeError
        return Built(**told, hz=hz, missing=tuple(texts(missing)), recipe=recipe, folder=file.parent)
    except OSError as error:
        raise KernelError(f"{file}: cannot be read: {error.strerror}") from None
    except (DocumentError, KeyError, TypeError):
        raise KernelError(
            f"{file}: does not describe a kernel; accepted: to remove the folder {file.parent}, and to build it again"
        ) from None


def missing_tools() -> dict[str, str]:
    """The programs that are missing for a build, with Debian's packages."""
    return {tool: package for tool, package in TOOLS.items() if shutil.which(tool) is None}


def build(
    source: Path | None = None,
    version: str = "6.12",
    hz: int = 1000,
    report: Callable[[float], object] | None = None,
) -> Built:
    """Builds a kernel, unless the cache has it: nine minutes on two cores, without root.

    Parameters
    ----------
    source
        A tree or a tarball; by default, that of Debian's package for the version. A tree is not changed.
    version
        The version of Debian's package, such as 6.12.
    hz
        Ticks a second: 100 or 1000.
    report
        A function of the share done.

    Raises
    ------
    KernelError
        If the source, a program or an option is missing, or if the build fails; the cache is then as before.
    """
    require_linux()
    if hz not in configuration.HZ:
        accepted = ", ".join(map(str, configuration.HZ))
        raise KernelError(f"--hz {hz}: is no tick of this build; accepted: {accepted}")
    missing = missing_tools()
    if missing:
        packages = " ".join(dict.fromkeys(missing.values()))
        raise KernelError(f"a build needs {', '.join(missing)}; on Debian: apt-get install {packages}")
    found = locate(source, version)
    digest = hashlib.sha256("\0".join([found.digest, recipe(), str(hz)]).encode()).hexdigest()[:16]
    folder = cache() / digest
    if (folder / INFO).exists():
        # A build that was killed at its very end has left its objects, which are gigabytes.
        sweep_up(folder.parent, WORKPLACE)
    else:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with workplace(folder.parent, WORKPLACE) as temporary:
            _build(found, hz, digest, temporary, folder, report)
    return next(one for one in built() if one.folder == folder)


def _build(
    source: Source, hz: int, digest: str, temporary: Path, folder: Path, report: Callable[[float], object] | None
) -> None:
    unpacked, objects, done = (temporary / name for name in ("source", "objects", "done"))
    for one in (unpacked, objects, done):
        one.mkdir()
    tree = unpack(source, unpacked)
    kconfig = temporary / "Kconfig"
    kconfig.write_text(configuration.top(tree, hz), encoding="utf-8")
    base = ["make", "-C", str(tree), "ARCH=um", f"O={objects}", f"KBUILD_KCONFIG={kconfig}"]
    _make([*base, "defconfig"], temporary)
    config = objects / ".config"
    with config.open("a", encoding="utf-8") as file:
        file.write(configuration.fragment())
    _make([*base, "olddefconfig"], temporary)
    missing = configuration.check(config, hz)
    _make([*base, "prepare"], temporary)
    registers.make_room(objects)
    linked = temporary / "spared.o"
    _make(["gcc", "-O2", "-fno-pie", "-c", str(registers.SPARED), "-o", str(linked)], temporary)
    _make([*base, registers.wraps(linked), f"-j{os.cpu_count() or 1}", BINARY], temporary, report)
    shutil.copy2(objects / BINARY, done / BINARY)
    shutil.copy2(config, done / "config")
    kernel = Built(check_tree(tree), hz, str(source.path), digest, tuple(missing), folder, recipe())
    info = asdict(kernel)
    del info["folder"]
    (done / INFO).write_text(json.dumps(info, indent=2) + "\n", encoding="utf-8")
    try:
        done.rename(folder)
    except OSError:
        # Another build of the same kernel was faster.
        if not (folder / INFO).exists():
            raise


FILES = 1010
"""Files that a build compiles, about, from which the share done follows."""


def _make(command: Sequence[str], temporary: Path, report: Callable[[float], object] | None = None) -> None:
    log = temporary / "log"
    environment = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL")}
    with log.open("w", encoding="utf-8") as file:
        process = started(command, file, file, environment)
        try:
            while True:
                try:
                    status = process.wait(1.0)
                    break
                except subprocess.TimeoutExpired:
                    if report:
                        report(min(0.99, log.read_text(encoding="utf-8", errors="replace").count("  CC ") / FILES))
        finally:
            end(process)
    if status:
        last = log.read_text(encoding="utf-8", errors="replace").splitlines()[-12:]
        raise KernelError("\n".join([f"the kernel's `{command[0]} {command[-1]}` failed with status {status}:", *last]))
