"""``ackclock completion``: the script with which a shell completes commands and options."""

from __future__ import annotations

from typing import Literal

__all__ = ["completion"]


def completion(shell: Literal["bash", "zsh", "fish"], /) -> int:
    """Print the script with which a shell completes commands and options.

    - bash: `eval "$(ackclock completion bash)"` in ~/.bashrc.
    - zsh: `ackclock completion zsh > FOLDER/_ackclock`, where FOLDER is in $fpath.
    - fish: `ackclock completion fish > ~/.config/fish/completions/ackclock.fish`.

    Parameters
    ----------
    shell
        The shell that reads the script.
    """
    from ackclock.cli import app

    print(app.generate_completion(shell=shell), end="")  # noqa: T201
    return 0
