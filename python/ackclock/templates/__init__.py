"""Files to start from: the Python files beside this one, under another name."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from ackclock.files import FolderError

__all__ = ["write"]


def write(name: str, *, full: bool = False) -> Path:
    """Writes a congestion control called `name` in scenarios to a new file of the current folder.

    Raises
    ------
    FolderError
        If no class can be called so, or the file exists.
    """
    words = name.replace(".", "-").replace("_", "-").split("-")
    class_name = "".join(word.capitalize() for word in words)
    if not class_name.isidentifier() or not name.isascii() or name != name.lower():
        raise FolderError(f"{name!r} is no name; accepted: lower-case letters, digits and hyphens, a letter first")
    template = "full" if full else "window"
    text = resources.files(__name__).joinpath(f"{template}.py").read_text(encoding="utf-8")
    file = Path(f"{'_'.join(words)}.py")
    try:
        with file.open("x", encoding="utf-8") as out:
            out.write(text.replace("template-name", name).replace("TemplateName", class_name))
    except FileExistsError:
        raise FolderError(f"{file} exists; it is not overwritten") from None
    return file
