"""``ackclock new``: files to start from."""

from __future__ import annotations

from ackclock.cli.output import UsageError, print_table, say

__all__ = ["new"]


def new(kind: str, name: str | None = None, /, *, full: bool = False, rust: bool = False) -> int:
    """Write a file or a folder as a starting point.

    Parameters
    ----------
    kind
        The kind of file: scenario, an example scenario; cc, a congestion control of your own; abr, a rate adaptation of
        your own for DASH; or transport, a transport of your own in C.
    name
        The name of the example, such as parking-lot, or of the congestion control, rate adaptation or transport in
        scenarios, such as my-reno. The file is then parking-lot.toml or my_reno.py in this folder, and the transport is
        in a folder of its name. Without a name, the examples are listed.
        The kind workflow has no name: it writes a workflow of GitHub that runs `ackclock gate` on every push.
    full
        Write all callbacks of a congestion control instead of the five rules of a window.
    rust
        Write a crate in Rust, in a folder of that name, instead of a Python file. It needs cargo, and no registry.
    """
    if kind == "scenario":
        from ackclock import examples

        if full or rust:
            option = "--full" if full else "--rust"
            raise UsageError(f"{option} is for congestion controls: ackclock new cc NAME {option}")
        if name is None:
            print_table("examples", ["name", "subject"], [(one, examples.subject(one)) for one in examples.names()])
            say("ackclock new scenario NAME")
            return 0
        scenario, *others = examples.write(name)
        say(f"{scenario}: an example scenario" + "".join(f"; it needs {file}" for file in others))
        say(f"ackclock run {scenario}")
    elif kind == "workflow":
        from ackclock.judge.gate import workflow

        if name is not None or full or rust:
            raise UsageError("a workflow has no name and no options: ackclock new workflow")
        written = workflow.write()
        say(f"{workflow.PLACE}: runs ackclock gate on every push")
        if written.wheel is not None:
            say(f"{written.wheel}: the ackclock that it installs; keep it in the repository")
        if written.missing:
            say(f"ackclock runs from its source here: put the wheel of `make wheel` into {workflow.WHEELS} first")
        say("ackclock gate scenarios/*.toml --baseline gate.json --update --reason TEXT")
    elif kind == "cc":
        from ackclock.cc import templates

        name = _named(name, "congestion control", "cc")
        told = "a congestion control that behaves like Reno until you change it"
        if rust:
            folder = templates.write_crate(name, full=full)
            say(f"{folder}: a crate with {told}")
            say(f"cd {folder} && cargo test && cargo build --release")
            say(f"ackclock run SCENARIO.toml --load {folder} --set 'flows[0].cc={name}'")
        else:
            file = templates.write(name, full=full)
            say(f"{file}: {told}")
            say(f"ackclock run SCENARIO.toml --load {file} --set 'flows[0].cc={name}'")
    elif kind == "abr":
        from ackclock.cc import templates

        name = _named(name, "rate adaptation", kind)
        _only_for_cc(full, rust)
        file = templates.write_rule(name)
        say(f"{file}: a rate adaptation that behaves like the rule throughput until you change it")
        say(f"ackclock run SCENARIO.toml --load {file} --set 'flows[0].app.abr={name}'")
    elif kind == "transport":
        from ackclock.cc import templates

        name = _named(name, "transport", kind)
        _only_for_cc(full, rust)
        folder = templates.write_transport(name)
        say(f"{folder}: a transport in C that sends with go-back-N and AIMD until you change it")
        say(f"make -C {folder}")
        say(f'transport = {{ kind = "{name}", library = "{folder}/{folder.name}.so" }}  in a flow of a scenario')
    else:
        raise UsageError(f"unknown kind {kind}; accepted: scenario, cc, abr, transport, workflow")
    return 0


def _named(name: str | None, what: str, kind: str) -> str:
    """The name, which has to be given."""
    if name is None:
        raise UsageError(f"expected the name of the {what}: ackclock new {kind} NAME")
    return name


def _only_for_cc(full: bool, rust: bool) -> None:
    """Refuses the options of congestion controls."""
    if full or rust:
        option = "--full" if full else "--rust"
        raise UsageError(f"{option} is for congestion controls: ackclock new cc NAME {option}")
