"""A site that is opened from a disk can search, although browsers refuse a worker from a file."""

import pytest

from tests.helpers.browser import Browser, PageError, needs_browser
from tools.site import disk

WORKER = """onmessage = ({ data }) => postMessage("NAME PROGRAM found " + data);"""
PAGE = """<!doctype html><meta charset="utf-8"><title>Search</title>{scripts}<script>
const answer = new Promise((done, failed) => {{
  const worker = new Worker("{address}");
  worker.onmessage = ({{ data }}) => done(data);
  worker.onerror = () => failed(new Error("refused"));
  worker.postMessage("incast");
}});
answer.catch(() => 0);
</script>"""


@pytest.fixture
def folder(tmp_path):
    """A folder with a worker, the script that starts it, and pages with and without this script."""
    (tmp_path / "workers").mkdir()
    program = tmp_path / "workers/search.abc.min.js"
    program.write_text(WORKER, encoding="utf-8")
    (tmp_path / "workers/other.js").write_text(WORKER, encoding="utf-8")
    (tmp_path / disk.NAME).write_text(disk.script(program), encoding="utf-8")
    script = f'<script src="{disk.NAME}"></script>'
    for name, scripts, address in (
        ("with", script, "workers/search.abc.min.js"),
        ("without", "", "workers/search.abc.min.js"),
        ("other", script, "workers/other.js"),
    ):
        (tmp_path / f"{name}.html").write_text(PAGE.format(scripts=scripts, address=address), encoding="utf-8")
    return tmp_path


@needs_browser
def test_a_worker_starts_from_the_disk_only_with_the_script(folder):
    with Browser() as browser:
        browser.open(folder / "with.html")
        assert browser.run("answer") == "NAME PROGRAM found incast"
        assert browser.errors == []
        for name in ("without", "other"):
            browser.open(folder / f"{name}.html")
            with pytest.raises(PageError, match=r"refused|cannot be accessed"):
                browser.run("answer")


def test_a_site_without_a_theme_is_refused(monkeypatch):
    monkeypatch.setattr(disk, "find_spec", lambda _: None)
    with pytest.raises(LookupError, match="zensical is not installed; `make docs` installs it"):
        disk.worker()
