"""``ackclock completion``: the script with which a shell completes commands, options and values."""

from __future__ import annotations

import types
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_origin, get_type_hints

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

__all__ = ["completion", "values"]


def completion(shell: Literal["bash", "zsh", "fish"], /) -> int:
    """Print the script with which a shell completes commands, options and values.

    Values are kinds of `list`, studies, figures, backends, columns of measures, tables, and paths of a scenario.

    - bash: `eval "$(ackclock completion bash)"` in ~/.bashrc.
    - zsh: `ackclock completion zsh > FOLDER/_ackclock`, where FOLDER is in $fpath.
    - fish: `ackclock completion fish > ~/.config/fish/completions/ackclock.fish`.

    Parameters
    ----------
    shell
        The shell that reads the script: bash, zsh or fish.
    """
    from ackclock.cli.parser import app

    with _told_values():
        script = app.generate_completion(shell=shell)
    print(script, end="")  # noqa: T201
    return 0


def values() -> dict[tuple[str, str], Sequence[str]]:
    """The values that are completed, by command and parameter."""
    from ackclock import examples, scenario, studies
    from ackclock.cli.hints import scenario_fields
    from ackclock.cli.plot import FIGURES
    from ackclock.engine.run import SIM
    from ackclock.results.declared import TABLES

    backends = [SIM, "linux", "linux:6.12"]
    columns = [
        f"{name}.{column['name']}"
        for name, table in TABLES.items()
        for column in table["columns"]
        if column["type"] != "text"
    ]
    paths = ["duration=", "seed="]
    paths += [f"{section}.{field}=" for section, fields in scenario_fields().items() for field in fields]
    found: dict[tuple[str, str], Sequence[str]] = {
        ("list", "kind"): [*scenario.catalogue(), "study"],
        ("reproduce", "study"): ["all", *studies.names()],
        ("plot", "figure"): list(FIGURES),
        ("reproduce", "backend"): backends,
        ("run", "backend"): backends,
        ("new", "kind"): ["scenario", "cc", "abr", "transport", "workflow"],
        ("new", "name"): examples.names(),
        ("export", "table"): list(TABLES),
    }
    found |= {(command, "of"): columns for command in ("sweep", "report", "export")}
    found[("compare", "measure")] = columns
    found |= {(command, "settings"): paths for command in ("run", "sweep", "check", "plot", "compare")}
    found[("sweep", "vary")] = paths
    return found


@contextmanager
def _told_values() -> Iterator[None]:
    """Gives the commands types that have the values, as long as a script is made of them."""
    from ackclock.cli.parser import app

    plain: dict[str, Callable[..., Any]] = {}
    try:
        for (command, parameter), words in values().items():
            own = app[command]
            function = own.default_command
            if function is None:
                raise AssertionError(command)
            plain.setdefault(command, function)
            own.default_command = _typed(function, parameter, words)
        yield
    finally:
        for command, function in plain.items():
            app[command].default_command = function


def _typed(function: Callable[..., Any], parameter: str, words: Sequence[str]) -> Callable[..., Any]:
    """A function like this one, whose parameter accepts these words."""
    hints = get_type_hints(function, include_extras=True)
    hint = hints[parameter]
    literal: Any = Literal[tuple(words)]
    plain = hint.__origin__ if get_origin(hint) is Annotated else hint
    changed: Any = tuple[literal, ...] if get_origin(plain) is tuple else literal
    if get_origin(hint) is Annotated:
        changed = Annotated[(changed, *hint.__metadata__)]
    copy = types.FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    copy.__kwdefaults__, copy.__doc__ = function.__kwdefaults__, function.__doc__
    copy.__annotations__ = hints | {parameter: changed}
    return copy
