"""The blocks of a page: commands, Python, files, and outputs that belong to them."""

import re

import pytest

from tools.site import blocks
from tools.site.blocks import Block, BlockError


def test_blocks_are_told_apart():
    page = (
        "# Page\n\n```sh\nackclock run a.toml\n```\n\n```text\nDone\n```\n\n```python\n# a.py\nx = 1\n```\n\nAnd\n\n"
        '```toml\n# a.toml\nseed = 1\n```\n\n```tcl\nset ns\n```\n\n```sh not-run="needs a cluster"\nqsub\n```\n'
    )
    assert blocks.blocks(page) == [
        Block("sh", "ackclock run a.toml\n", 4, None, "Done\n"),
        Block("python", "# a.py\nx = 1\n", 12, None),
        Block("toml", "# a.toml\nseed = 1\n", 19, None),
        Block("sh", "qsub\n", 28, "needs a cluster"),
    ]
    assert [block.name for block in blocks.blocks(page)] == [None, "a.py", "a.toml", None]
    assert blocks.plain(page) == page.replace(' not-run="needs a cluster"', "")


@pytest.mark.parametrize(
    ("page", "message"),
    [
        ("```text\nDone\n```\n", "line 2: a text that no block before it prints"),
        ("```sh\nls\n```\n\nThen:\n\n```text\nDone\n```\n", "line 8: a text that no block"),
        ("```toml\n# a.toml\n```\n```text\nDone\n```\n", "line 5: a text that no block"),
        ("```toml\nseed = 1\n```\n", "line 2: toml without the name of a file"),
        ("```sh skip\nls\n```\n", 'line 2: skip is not of the form not-run="why"'),
    ],
)
def test_a_block_without_a_place_is_refused(page, message):
    with pytest.raises(BlockError, match=re.escape(message)):
        blocks.blocks(page)


@pytest.mark.parametrize(
    ("expected", "agrees"),
    [
        ("a 12\nb 3\nc\n", True),
        ("a ...\nb 3\nc\n", True),
        ("a 12\n...\nc\n", True),
        ("a ...\nc\n", False),
        ("a 1\n...\nb 3\nc\n", False),
        ("a 12\nb 3\n", False),
        ("a 12\n...\n", True),
    ],
)
def test_a_text_agrees_with_what_was_printed(expected, agrees):
    assert blocks.agrees("a 12  \nb 3\nc\n\n", expected) is agrees
