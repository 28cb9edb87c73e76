"""The command line in an empty folder, with tiny scenarios and a congestion control."""

import pytest

from ackclock.cc import registry
from ackclock.cli import main
from tests.helpers.scenarios import SWEPT

MINE = '''
import ackclock


@ackclock.congestion_control("mine")
class Mine(ackclock.WindowRules):
    """Reno."""

    def reduction(self, flow):
        return 0.5
'''

SCENARIO = SWEPT.replace("500ms", "3s") + 'cc = "mine"\n'

OTHER = (
    SWEPT.replace("500ms", "3s")
    .replace("[[flows]]", 'loss = "1%"\n[[flows]]')
    .replace('app = "bulk"', 'cc = "reno"\napp = { kind = "transfer", size = "50kB", count = 5, gap = "50ms" }')
)


class Project:
    """A repository of a user, which is the working directory."""

    def __init__(self, folder, capsys):
        self.folder = folder
        self.capsys = capsys
        (folder / "mine.py").write_text(MINE)
        (folder / "bulk.toml").write_text(SCENARIO)
        (folder / "short.toml").write_text(OTHER)

    def edit(self, name, old, new):
        """Replaces a text of a file, which has to be there."""
        path = self.folder / name
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))

    def run(self, *arguments, load=True):
        """Status, standard output and standard error of `ackclock gate`, as in a process of its own."""
        registry._entries.clear()
        loaded = ["--load", "mine.py"] if load else []
        status = main(["gate", "--baseline", "gate.json", *loaded, *map(str, arguments)])
        captured = self.capsys.readouterr()
        return status, captured.out, captured.err

    def update(self, *arguments, reason="the first baseline"):
        """Takes the baseline, which has to work."""
        status, out, err = self.run("--update", "--reason", reason, *arguments)
        assert status == 0, err
        return out


@pytest.fixture
def project(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    return Project(tmp_path, capsys)
