"""The source of a kernel: a tree, a tarball, or Debian's package."""

from __future__ import annotations

import hashlib
import re
import tarfile
from dataclasses import dataclass
from pathlib import Path

from ackclock._errors import RefusedError

__all__ = ["DEBIAN", "KernelError", "Source", "locate", "unpack"]

DEBIAN = Path("/usr/src")
"""Folder into which Debian's packages linux-source-VERSION put their tarballs."""

LARGEST = 4 << 30
"""Most bytes of a tarball: those of Linux have 1.6 GB without compression."""


class KernelError(RefusedError):
    """A kernel cannot be built or run; the message says what is missing and what would be accepted."""

    code = "ACK050"


@dataclass(frozen=True)
class Source:
    """The source of a kernel."""

    path: Path
    """A folder, or a tarball."""
    digest: str
    """Identifies the content: the SHA-256 of a tarball, or of the names, sizes and times of a tree's files."""

    @property
    def is_tree(self) -> bool:
        """Whether the source is unpacked."""
        return self.path.is_dir()


def locate(path: Path | None, version: str, folder: Path = DEBIAN) -> Source:
    """The source at a path, or that of Debian's package for a version such as 6.12.

    Raises
    ------
    KernelError
        If there is none, or if it is no kernel's.
    """
    if path is None:
        path = folder / f"linux-source-{version}.tar.xz"
        if not path.exists():
            raise KernelError(
                f"no source of Linux {version}: {path} does not exist; accepted: Debian's package "
                f"linux-source-{version} (apt-get install linux-source-{version}), or --source with a tree or a tarball"
            )
    if not path.exists():
        raise KernelError(f"--source {path}: does not exist; accepted: the folder or the tarball of a kernel's source")
    if path.is_dir():
        check_tree(path)
        return Source(path.resolve(), _digest_of_tree(path))
    # Looking for a tarball in a file of nothing but zeros takes as long as reading it.
    if path.stat().st_size > LARGEST:
        raise KernelError(f"--source {path}: is larger than {LARGEST >> 30} GiB, which no kernel's source is")
    if not (path.is_file() and tarfile.is_tarfile(path)):
        raise KernelError(f"--source {path}: is no tarball; accepted: a kernel's tree, or a .tar, .tar.gz or .tar.xz")
    with path.open("rb") as file:
        return Source(path.resolve(), hashlib.file_digest(file, "sha256").hexdigest())


def check_tree(tree: Path) -> str:
    """The version of a kernel's tree, such as 6.12.117.

    Raises
    ------
    KernelError
        If the folder is no kernel's tree, or if it was built in.
    """
    makefile = tree / "Makefile"
    text = makefile.read_text(encoding="utf-8", errors="replace") if makefile.is_file() else ""
    parts = [re.search(rf"^{name} = *(\d+)$", text, re.MULTILINE) for name in ("VERSION", "PATCHLEVEL", "SUBLEVEL")]
    if any(part is None for part in parts) or not (tree / "arch/um/Kconfig").is_file():
        raise KernelError(f"--source {tree}: is no kernel's tree: it lacks a Makefile with a version, or arch/um")
    if (tree / ".config").exists() or (tree / "include/config").exists():
        raise KernelError(
            f"--source {tree}: was built in; run `make mrproper` there, so that it can be built elsewhere"
        )
    return ".".join(part[1] for part in parts if part)


def unpack(source: Source, folder: Path) -> Path:
    """The tree of a source; a tarball is unpacked below the folder.

    Raises
    ------
    KernelError
        If the tarball is damaged or is no kernel's.
    """
    if source.is_tree:
        return source.path
    try:
        with tarfile.open(source.path) as archive:
            archive.extractall(folder, filter="tar")
    except (tarfile.TarError, EOFError, OSError) as error:
        raise KernelError(f"{source.path}: cannot be unpacked: {error}") from None
    found = [entry for entry in folder.iterdir() if entry.is_dir()]
    if len(found) != 1:
        raise KernelError(f"{source.path}: is no kernel's source: it has {len(found)} folders at its top, not one")
    check_tree(found[0])
    return found[0]


def _digest_of_tree(tree: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(tree.rglob("*")):
        if ".git" in path.parts:
            continue
        status = path.lstat()
        digest.update(f"{path.relative_to(tree)}\0{status.st_size}\0{status.st_mtime_ns}\0".encode())
    return digest.hexdigest()
