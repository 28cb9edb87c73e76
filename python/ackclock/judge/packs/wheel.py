"""The wheel of the installed ackclock, made again of its files."""

from __future__ import annotations

import base64
import hashlib
import zipfile
from importlib import metadata
from pathlib import Path

from ackclock._errors import RefusedError

__all__ = ["MOMENT", "UNPACKED", "wheel_of"]

MOMENT = (1980, 1, 1, 0, 0, 0)
"""The time of every file of an archive, so that the same files give the same bytes."""
UNPACKED = ("RECORD", "INSTALLER", "REQUESTED", "direct_url.json")
"""Files beside the metadata that the installer wrote."""


class WheelError(RefusedError):
    """There is no wheel to be put into an archive."""

    code = "ACK062"


def wheel_of(given: Path | None, folder: Path) -> Path:
    """The wheel that was given, or one in `folder` made of the installed files.

    Raises
    ------
    WheelError
        If the given one is none, or ackclock runs from its source and is not installed from a wheel.
    """
    if given is not None:
        if given.suffix != ".whl" or not zipfile.is_zipfile(given):
            raise WheelError(f"{given}: is no wheel; accepted: a file NAME.whl")
        return given
    installed = metadata.distribution("ackclock")
    files = installed.files or []
    if not any(one.parts[0] == "ackclock" and one.name.startswith("_core.") for one in files):
        raise WheelError(
            "ackclock runs from its source here, and not from a wheel; accepted: --wheel FILE, as `make wheel` makes "
            "one, or --without-wheel"
        )
    about = (installed.read_text("WHEEL") or "").splitlines()
    tags = [line.removeprefix("Tag: ") for line in about if line.startswith("Tag: ")]
    path = folder / f"ackclock-{installed.version}-{tags[0]}.whl"
    record = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for one in sorted(files, key=str):
            inside = one.parts[0] in ("ackclock", f"ackclock-{installed.version}.dist-info")
            if not inside or one.name in UNPACKED or one.suffix == ".pyc":
                continue
            data = Path(str(one.locate())).read_bytes()
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{one.as_posix()},sha256={digest},{len(data)}")
            archive.writestr(zipfile.ZipInfo(one.as_posix(), MOMENT), data, zipfile.ZIP_DEFLATED)
        name = f"ackclock-{installed.version}.dist-info/RECORD"
        archive.writestr(zipfile.ZipInfo(name, MOMENT), "\n".join([*record, f"{name},,", ""]))
    return path
