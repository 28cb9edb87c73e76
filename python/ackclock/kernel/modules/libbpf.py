"""The functions of the system's libbpf that load a congestion control, and what they say when they fail."""

from __future__ import annotations

import ctypes
import os
from typing import TYPE_CHECKING

from ackclock.kernel.source import KernelError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["LINKED_SINCE", "Library", "Loaded", "library"]

NAMES = ("libbpf.so.1",)
STRUCT_OPS = 26
"""Type of maps that hold a structure of functions (BPF_MAP_TYPE_STRUCT_OPS)."""
F_LINK = 1 << 13
"""Flag of such a map whose functions are there as long as a link is (BPF_F_LINK)."""
LINKED_SINCE = (6, 4)
"""The first Linux with such links."""
LIBRARY_LINKS_SINCE = (1, 2)
"""The first libbpf that makes them."""
ATTACH_STRUCT_OPS = 44
SAID = 20
"""Lines of what libbpf says that are kept."""


class MapInfo(ctypes.Structure):
    """The beginning of ``struct bpf_map_info``."""

    _fields_ = (
        ("type", ctypes.c_uint32),
        ("id", ctypes.c_uint32),
        ("key_size", ctypes.c_uint32),
        ("value_size", ctypes.c_uint32),
        ("max_entries", ctypes.c_uint32),
        ("map_flags", ctypes.c_uint32),
        ("name", ctypes.c_char * 16),
        ("rest", ctypes.c_uint64 * 24),
    )


PRINT = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p)
POINTERS = (
    "bpf_object__open_file",
    "bpf_object__find_map_by_name",
    "bpf_object__next_map",
    "bpf_map__attach_struct_ops",
    "bpf_map__initial_value",
    "bpf_map__name",
)


class Library:
    """libbpf."""

    def __init__(self, loaded: ctypes.CDLL) -> None:
        self.functions = loaded
        self.said: list[str] = []
        self.version = (int(loaded.libbpf_major_version()), int(loaded.libbpf_minor_version()))
        for name in POINTERS:
            getattr(loaded, name).restype = ctypes.c_void_p
        loaded.bpf_map__name.restype = ctypes.c_char_p
        self._print = PRINT(self._say)
        loaded.libbpf_set_print(self._print)

    def _say(self, level: int, form: bytes, arguments: int) -> int:
        """Keeps a warning; the arguments are a list of C, which the C library formats."""
        if level == 0:
            room = ctypes.create_string_buffer(1 << 16)
            formatted = ctypes.CDLL(None).vsnprintf
            formatted(room, ctypes.c_size_t(len(room)), form, ctypes.c_void_p(arguments))
            self.said += room.value.decode(errors="replace").splitlines()
            del self.said[:-SAID]
        return 0

    def failed(self, what: str) -> KernelError:
        """An error with the last system call's reason and what libbpf says."""
        reason = os.strerror(ctypes.get_errno())
        said = "".join(f"\n  {line}" for line in self.said)
        self.said.clear()
        return KernelError(f"{what}: {reason}{said}")

    def struct_ops(self) -> Iterator[tuple[str, int]]:
        """Names and open descriptors of all maps of functions of the kernel; each descriptor is closed afterwards."""
        number = ctypes.c_uint32(0)
        while self.functions.bpf_map_get_next_id(number, ctypes.byref(number)) == 0:
            descriptor = self.functions.bpf_map_get_fd_by_id(number)
            if descriptor < 0:
                continue
            try:
                info, length = MapInfo(), ctypes.c_uint32(ctypes.sizeof(MapInfo))
                found = self.functions.bpf_obj_get_info_by_fd(descriptor, ctypes.byref(info), ctypes.byref(length))
                if found == 0 and info.type == STRUCT_OPS:
                    yield info.name.decode(), descriptor
            finally:
                os.close(descriptor)

    def remove(self, descriptor: int) -> bool:
        """Takes the functions of a map out of the kernel; False where they have not been in it."""
        key = ctypes.c_uint32(0)
        return int(self.functions.bpf_map_delete_elem(descriptor, ctypes.byref(key))) == 0


class Loaded:
    """The congestion controls of an object, in the kernel."""

    def __init__(self, library: Library, path: str, *, linked: bool, values: dict[str, bytes] | None = None) -> None:
        """Loads an object.

        Parameters
        ----------
        library
            libbpf.
        path
            The compiled object.
        linked
            Whether the congestion controls leave the kernel with this process. Otherwise they stay.
        values
            New values of the object's constants, which stand at its section's beginning.
        """
        self.library = library
        self._links: list[int] = []
        """Links of libbpf, whose end takes a congestion control out of the kernel."""
        self._descriptors: list[int] = []
        """Links that this module has made itself."""
        self._maps: list[int] = []
        functions = library.functions
        self._object = functions.bpf_object__open_file(path.encode(), None)
        if not self._object:
            raise library.failed(f"{path}: cannot be read as a BPF object")
        try:
            self._load(path, linked, values or {})
        except BaseException:
            self.close(remove=True)
            raise

    def _load(self, path: str, linked: bool, values: dict[str, bytes]) -> None:
        functions = self.library.functions
        maps = [one for one in self._all() if functions.bpf_map__type(ctypes.c_void_p(one)) == STRUCT_OPS]
        if linked:
            for one in maps:
                functions.bpf_map__set_map_flags(ctypes.c_void_p(one), F_LINK)
        for section, value in values.items():
            found = functions.bpf_object__find_map_by_name(ctypes.c_void_p(self._object), section.encode())
            size = ctypes.c_size_t(0)
            first = functions.bpf_map__initial_value(ctypes.c_void_p(found), ctypes.byref(size))
            ctypes.memmove(first, value, min(size.value, len(value)))
        if functions.bpf_object__load(ctypes.c_void_p(self._object)):
            raise self.library.failed(f"{path}: the kernel does not accept this object")
        for one in maps:
            link = functions.bpf_map__attach_struct_ops(ctypes.c_void_p(one))
            if not link:
                raise self.library.failed(f"{path}: the kernel does not register this congestion control")
            descriptor = functions.bpf_map__fd(ctypes.c_void_p(one))
            if linked and self.library.version >= LIBRARY_LINKS_SINCE:
                self._links.append(link)
                continue
            # Without a link the map itself is what registers, and it stays.
            functions.bpf_link__disconnect(ctypes.c_void_p(link))
            functions.bpf_link__destroy(ctypes.c_void_p(link))
            if not linked:
                self._maps.append(descriptor)
                continue
            made = functions.bpf_link_create(descriptor, 0, ATTACH_STRUCT_OPS, None)
            if made < 0:
                raise self.library.failed(f"{path}: the kernel does not register this congestion control")
            self._descriptors.append(made)

    def _all(self) -> Iterator[int]:
        one = self.library.functions.bpf_object__next_map(ctypes.c_void_p(self._object), None)
        while one:
            yield one
            one = self.library.functions.bpf_object__next_map(ctypes.c_void_p(self._object), ctypes.c_void_p(one))

    def close(self, *, remove: bool) -> None:
        """Ends the use of the object.

        Parameters
        ----------
        remove
            Whether congestion controls that would stay leave the kernel, too. Those that are linked always do.
        """
        functions = self.library.functions
        for link in self._links:
            functions.bpf_link__destroy(ctypes.c_void_p(link))
        for descriptor in self._descriptors:
            os.close(descriptor)
        if remove:
            for descriptor in self._maps:
                self.library.remove(descriptor)
        functions.bpf_object__close(ctypes.c_void_p(self._object))
        self._links, self._descriptors, self._maps = [], [], []


def library() -> Library:
    """The system's libbpf.

    Raises
    ------
    KernelError
        If there is none.
    """
    for name in NAMES:
        try:
            return Library(ctypes.CDLL(name, use_errno=True))
        except OSError:
            continue
    raise KernelError(
        f"{NAMES[0]} is not on this machine, which loads BPF programs; accepted: the package libbpf1 (Debian, Ubuntu) "
        "or libbpf (Fedora, Arch)"
    )
