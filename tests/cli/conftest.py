"""The command line, called in this process."""

import pytest

from ackclock.cli import main


@pytest.fixture
def cli(tmp_path, monkeypatch, capsys):
    """Runs a command line in an empty folder; gives its status, standard output and standard error."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        status = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return call
