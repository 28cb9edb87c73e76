"""Unpacking the archive that somebody sent: what would hurt is refused before a byte of it is written."""

from __future__ import annotations

import shutil
import zipfile
import zlib
from collections import Counter
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from ackclock.base import reading
from ackclock.base.documents import DocumentError, parse_object
from ackclock.base.shown import one_line
from ackclock.judge.packs.archive import PackError
from ackclock.judge.packs.contents import DOCUMENT, FORMAT

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["is_plain", "unpack"]

LARGEST = 64 * 2**30
"""Most bytes that an archive may have unpacked."""
LARGEST_DOCUMENT = 2**28
"""Most bytes of a document in JSON, which is read as a whole."""
MOST_FILES = 1_000_000
LONGEST = 255
"""Characters of the name of a file or folder."""
ACCEPTED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
ENCRYPTED = 0x1
WROTE = "accepted: what `ackclock pack` wrote"


def unpack(path: Path, folder: Path) -> dict[str, Any]:
    """Unpacks an archive into a new folder and returns its document.

    Raises
    ------
    PackError
        If the file is no pack, is damaged, is of another format, names files outside its folder, or is too large for
        the folder's disk.
    """
    try:
        with reading.opened(path) as whole, zipfile.ZipFile(whole) as archive:
            found = archive.infolist()
            _check(path, found, shutil.disk_usage(folder.parent).free)
            document = _document(path, archive)
            for one in found:
                target = folder.joinpath(*PurePosixPath(one.filename).parts)
                target.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(one) as source, target.open("xb") as file:
                    shutil.copyfileobj(source, file)
    except PackError:
        raise
    except FileNotFoundError:
        raise PackError(f"{path}: no such file; {WROTE}") from None
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, ValueError, OSError) as error:
        told = error.strerror or type(error).__name__ if isinstance(error, OSError) else str(error)
        raise PackError(f"{path}: is no pack of ackclock, or is damaged ({one_line(told)}); {WROTE}") from None
    return document


def is_plain(name: str) -> bool:
    """Whether a text is the name of a file and nothing more: no path, on any system, and nothing unprintable."""
    wrong = {"", ".", ".."}
    return name not in wrong and len(name) <= LONGEST and name.isprintable() and not set(name) & set('/\\:*?"<>|')


def _check(path: Path, found: list[zipfile.ZipInfo], free: int) -> None:
    names = [one.filename for one in found]
    outside = [one for one in names if not one or not all(is_plain(part) for part in one.split("/"))]
    if outside:
        raise PackError(f"{path}: has a file {one_line(outside[0])!r}, which would lie outside its folder; {WROTE}")
    twice = next((one for one, count in Counter(names).items() if count > 1), None)
    if twice is not None:
        raise PackError(f"{path}: {one_line(twice)} stands twice in it; {WROTE}")
    if len(names) > MOST_FILES:
        raise PackError(f"{path}: has more than {MOST_FILES} files; accepted: a smaller archive")
    for one in found:
        if one.flag_bits & ENCRYPTED:
            raise PackError(f"{path}: {one_line(one.filename)} is encrypted; {WROTE}")
        if one.compress_type not in ACCEPTED:
            raise PackError(f"{path}: {one_line(one.filename)} has an unknown compression; {WROTE}")
        if one.filename.endswith(".json") and one.file_size > LARGEST_DOCUMENT:
            raise PackError(f"{path}: {one_line(one.filename)} is larger than {LARGEST_DOCUMENT >> 20} MiB; {WROTE}")
    size = sum(one.file_size for one in found)
    if size > LARGEST:
        raise PackError(f"{path}: is larger than {LARGEST // 2**30} GiB unpacked; accepted: a smaller archive")
    if size > free:
        raise PackError(
            f"{path}: has {size} bytes unpacked, and the disk of temporary files has {free}; accepted: TMPDIR on "
            "another disk"
        )


def _document(path: Path, archive: zipfile.ZipFile) -> dict[str, Any]:
    try:
        document = parse_object(archive.read(DOCUMENT))
    except KeyError:
        raise PackError(f"{path}: has no {DOCUMENT}; {WROTE}") from None
    except DocumentError as error:
        raise PackError(f"{path}: {DOCUMENT}: {one_line(str(error))}; {WROTE}") from None
    given, version = document.get("format"), document.get("version")
    if type(given) is not int:
        raise PackError(f"{path}: is no pack of ackclock: {DOCUMENT} names no format; {WROTE}")
    if given > FORMAT:
        named = one_line(version)[:64] if isinstance(version, str) else "of the pack"
        raise PackError(
            f"{path}: has format {str(given)[:20]}, and this version of ackclock knows {FORMAT}; accepted: ackclock "
            f"{named}"
        )
    if given < FORMAT:
        raise PackError(
            f"{path}: has format {str(given)[:20]}, in which not everything that a reader is shown can be derived "
            f"again; accepted: format {FORMAT}, as `ackclock pack` writes it of the same store"
        )
    return document
