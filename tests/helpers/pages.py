"""Reports and pages in HTML."""

import base64
import json
import re
from html.parser import HTMLParser
from pathlib import Path

BAD = "'\"><x-bad>&amp;"
"""A text that becomes an element or an attribute wherever it is not escaped."""


class Page(HTMLParser):
    """The tags, the loaded addresses, the plots and the text of a page."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.loads, self.plots, self.text, self.stack = [], [], [], [], []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.tags.append(tag)
        self.stack.append((tag, attributes))
        addresses = [value for name, value in attributes.items() if name in ("src", "href", "srcset", "action", "data")]
        self.loads += [value for value in addresses if not value.startswith("#section-")]

    def handle_endtag(self, tag):
        while self.stack and self.stack.pop()[0] != tag:
            pass

    def handle_data(self, data):
        tag, attributes = self.stack[-1] if self.stack else ("", {})
        if "data-plot" in attributes:
            self.plots.append(json.loads(data))
        elif tag not in ("script", "style"):
            self.text.append(data)

    @property
    def words(self):
        return " ".join(" ".join(self.text).split())


def unpacked(column):
    """The numbers of a packed column, by a slow reference: the sum of zigzag varints."""
    values, total, number, shift = [], 0, 0, 0
    for byte in base64.b64decode(column["deltas"]):
        number |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            total += -(number + 1) // 2 if number % 2 else number // 2
            values.append(total * column["unit"])
            number = shift = 0
    return values


def indented_blocks(page):
    """The indented blocks of a Markdown page without their indentation, in order."""
    text = re.findall(r"(?:^(?: {4}.*)?\n)+", page.read_text(encoding="utf-8"), re.MULTILINE)
    return [re.sub(r"^ {4}", "", block, flags=re.MULTILINE).strip("\n") + "\n" for block in text if block.strip()]


def written(block):
    """Whether a block is a file that its first line names; if so, the file has been written into this folder."""
    name = re.match(r"# (\S+\.(?:toml|py))\n", block)
    if name:
        Path(name[1]).write_text(block, encoding="utf-8")
    return bool(name)
