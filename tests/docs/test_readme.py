"""README.md can be followed from top to bottom in one shell, and shows what the present engine prints and draws."""

import re
import shutil

import numpy as np
import pytest
from matplotlib import image

from tools import readme
from tools.site import blocks

pytestmark = pytest.mark.slow

PAGE = readme.PAGE.read_text(encoding="utf-8")


@pytest.fixture
def folder(tmp_path):
    readme.prepare(PAGE, tmp_path)
    return tmp_path


def needed(shell):
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell}")


@pytest.mark.parametrize("shell", list(readme.SHELLS))
def test_the_readme_can_be_followed_in_one_shell(shell, folder):
    needed(shell)
    other = readme.differences(PAGE, readme.transcript(PAGE, shell, folder))
    assert not other, "python -m tools.readme takes them anew:\n" + "\n".join(
        f"line {block.line} prints\n{text}" for block, text in other
    )
    drawn, shown = image.imread(folder / readme.DRAWN), image.imread(readme.ROOT / readme.DRAWN)
    assert drawn.shape == shown.shape
    assert np.abs(drawn - shown).mean() < 0.005, "the picture is not that of today: python -m tools.readme"
    assert (folder / readme.REPORT).is_file()


def test_only_blocks_that_build_the_project_are_left_out():
    left_out = [block for block in blocks.blocks(PAGE) if block.reason]
    lines = [line for block in left_out for line in block.text.splitlines()]
    assert {"make demo", "make test"} <= {*lines}
    assert all(re.fullmatch(r"make \w+|\. \.venv/bin/activate", line) for line in lines)


def test_its_pictures_are_small():
    pictures = [readme.ROOT / path for path in re.findall(r"!\[[^\]]+\]\((\S+)\)", PAGE)]
    assert [str(path.relative_to(readme.ROOT)) for path in pictures] == [readme.DRAWN, readme.SHOWN]
    for path in pictures:
        assert path.stat().st_size < 300_000, path


@pytest.mark.parametrize(
    ("shell", "command"),
    [("bash", "false"), ("zsh", "false"), ("zsh", "echo flows[0].cc"), ("zsh", "# a remark")],
)
def test_a_command_that_fails_in_the_shell_is_found(shell, command, tmp_path):
    needed(shell)
    page = f"```sh\ntrue\n```\n\n```sh\n{command}\n```\n"
    with pytest.raises(RuntimeError, match=f"{shell}: the block in line 6 failed"):
        readme.transcript(page, shell, tmp_path)


def test_an_output_taken_anew_keeps_what_may_differ():
    page = "```sh\necho run 1; echo b\n```\n\n```text\nrun ...\na\n```\n"
    [(block, printed)] = readme.differences(page, ["run 1\nb  \n"])
    assert readme.renewed(block.prints, printed) == "run ...\nb\n"
    assert readme.differences(page, ["run 2\na\n"]) == []


def test_outputs_taken_anew_keep_what_is_left_out():
    shown = "hello: seed 1, scenario ..., ackclock ...\na 1\n...\n"
    printed = "hello: seed 2, scenario 996579b41c00a95e, ackclock 0.1.0+9c427b11; means\na 2\nb 3\n"
    assert readme.renewed(shown, printed) == "hello: seed 2, scenario ..., ackclock ...; means\na 2\n...\n"
