"""The pages that are written somewhere in the repository, and their places in the site."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path, PurePosixPath

from tools.site.blocks import plain

ROOT = Path(__file__).parents[2]

CARRIED = ("*.md", "*.png", "*.ipynb")
"""Files of the folder `docs` that are in the site. A reader downloads a notebook."""

_LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)#\s]+)(#[^)\s]*)?\)")

_FENCE = re.compile(r"(?ms)(^```.*?^```$)")

FIGURE = re.compile(r"(?m)^(!\[.*\]\(\S+\.png\))$")
"""A figure of a gallery page, which is as wide as a column of a paper."""


def written() -> dict[PurePosixPath, PurePosixPath]:
    """The path of each page and picture in the repository, and its path in the site."""
    places = {PurePosixPath("README.md"): PurePosixPath("index.md")}
    for path in sorted(path for kind in CARRIED for path in (ROOT / "docs").rglob(kind)):
        inner = PurePosixPath(path.relative_to(ROOT / "docs").as_posix())
        places["docs" / inner] = inner
    for path in sorted((ROOT / "python/ackclock/studies").glob("*/README.md")):
        slug = path.parent.name.replace("_", "-")
        places[PurePosixPath(path.relative_to(ROOT).as_posix())] = PurePosixPath("studies", f"{slug}.md")
    scripts = PurePosixPath("crates/ackclock-drill/tests/scripts/README.md")
    return {
        **places,
        # A page named README would be the first of the site.
        PurePosixPath("docs/README.md"): PurePosixPath("pages.md"),
        scripts: PurePosixPath("drill-scripts.md"),
        PurePosixPath("CHANGELOG.md"): PurePosixPath("changelog.md"),
        PurePosixPath("DESIGN.md"): PurePosixPath("design.md"),
    }


def carry(folder: Path) -> None:
    """Copies them to `folder`, with their links turned to where each went.

    Raises
    ------
    LookupError
        If a page links to a file that does not exist.
    """
    places = written()
    for source, place in places.items():
        target = folder / place
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.suffix == ".md":
            text = plain((ROOT / source).read_text(encoding="utf-8"))
            if place.parent.name == "studies":
                # Their reports have a heading of their own.
                text = f"# {place.stem}\n\n{text}"
            elif place.parent.name == "gallery" and place.stem != "index":
                text = FIGURE.sub(r"\1{ .figure }", text) + scenario_of(place.stem)
            target.write_text(turned(text, source, places), encoding="utf-8")
        else:
            shutil.copy(ROOT / source, target)


def scenario_of(name: str) -> str:
    """The section with the text of an example scenario, as its page in the gallery ends."""
    folder = ROOT / "python/ackclock/examples"
    (file,) = folder.rglob(f"{name}.toml")
    return f"\n## The scenario\n\n```toml\n{file.read_text(encoding='utf-8')}```\n"


def turned(text: str, source: PurePosixPath, places: dict[PurePosixPath, PurePosixPath]) -> str:
    """The Markdown `text` of `source` for the site. A link to a file that has no place there becomes the file's name.

    Raises
    ------
    LookupError
        If a link leads to a file that does not exist.
    """

    def turn(match: re.Match[str]) -> str:
        picture, label, link, anchor = match.groups()
        if "://" in link or link.startswith("mailto:"):
            return match[0]
        linked = PurePosixPath(os.path.normpath(source.parent / link))
        if not (ROOT / linked).exists():
            raise LookupError(f"{source} links to {link}, which does not exist")
        if linked not in places:
            return f"{label} (`{linked}`)"
        address = os.path.relpath(places[linked], places[source].parent)
        return f"{picture}[{label}]({address}{anchor or ''})"

    # What a fenced block shows is no link of the page.
    parts = _FENCE.split(text)
    return "".join(part if part.startswith("```") else _LINK.sub(turn, part) for part in parts)
