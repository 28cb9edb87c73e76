"""The commands by name. A command is imported when it is called, so that no command waits for the imports of others.

The line of a function here is the first line of its docstring; a test compares them.
"""

from __future__ import annotations

__all__ = ["COMMANDS", "NAME", "SUMMARY", "option_of"]

NAME = "ackclock"
SUMMARY = "Simulate TCP: what a change does, on which networks, to whom, and how sure we are."

COMMANDS = {
    "run": ("commands:run", "Run a scenario in the simulator, or with a kernel's own TCP."),
    "sweep": ("sweep:sweep", "Run a scenario at many points under many seeds, and keep the results in a store."),
    "ls": ("ls:ls", "List the sweeps of a store."),
    "sql": (
        "sql:sql",
        "Ask a store in SQL. The query only reads; without one, the tables and their columns are listed.",
    ),
    "pack": ("pack:pack", "Write a store, with everything that repeats its runs, into one archive."),
    "verify": ("pack:verify", "Repeat the runs of a pack and derive again everything that it shows."),
    "plot": ("plot:plot", "Run a scenario and write one figure of it as PDF, SVG or PNG."),
    "export": ("plot:export", "Write a table of a store as CSV, Parquet or LaTeX."),
    "report": (
        "report:report",
        "Write a store, or several reproduced studies, as one HTML file that needs no other file and no network.",
    ),
    "serve": (
        "serve:serve",
        "Show a store as a web page on this machine, even while a sweep writes to it. Ctrl-C ends the server.",
    ),
    "lab": (
        "lab:lab",
        "Open the laboratory: a page that runs scenarios in the browser. Ctrl-C ends its server.",
    ),
    "reproduce": (
        "commands:reproduce",
        "Reproduce published studies: run them and compare each published claim with the measured number.",
    ),
    "list": ("commands:list_", "List the names that a scenario can use, and the studies."),
    "check": ("commands:check", "Check a scenario without running it, and estimate how large a run of it will be."),
    "new": ("new:new", "Write a file or a folder as a starting point."),
    "migrate": (
        "migrate:migrate",
        "Rewrite scenario files: old names become the present ones, and the file states its format.",
    ),
    "mpd": (
        "mpd:mpd",
        "Turn the video of a DASH manifest (MPD), or of a table of sizes, into the application dash of a scenario.",
    ),
    "schema": ("commands:schema", "Print the JSON Schema of scenarios, for editors and validators."),
    "bench": (
        "commands:bench",
        "Measure the engine: packets per CPU second on fixed workloads, each in a process of its own.",
    ),
    "compare": (
        "compare:compare",
        "Compare the settings of a store pair by pair, or run a scenario on several backends and say what differs.",
    ),
    "gate": (
        "gate:gate",
        "Run scenarios and compare them with a baseline, seed by seed. The exit status is 1 if a measure is worse.",
    ),
    "drill": (
        "drill:drill",
        "Run packetdrill scripts against the simulator's TCP in virtual time, or against a Linux kernel.",
    ),
    "conform": (
        "conform:conform",
        "Run the test cases of a congestion control's document against a stack. The exit status is 1 if a case fails.",
    ),
    "card": (
        "card:card",
        "Write the report card of a congestion control: RFC 9743, section by section, beside CUBIC and Reno.",
    ),
    "suite": (
        "suite:app",
        "Run a suite of tests: BBR's cases, the common TCP evaluation suite, or the cases of rmcat for calls.",
    ),
    "matrix": (
        "matrix:matrix",
        "Run congestion controls beside each other, pair by pair, and write maps of shares, harm, delays and losses.",
    ),
    "worst": (
        "worst:worst",
        "Search for the path or the cross traffic, within bounds, that hurts a congestion control most.",
    ),
    "emulate": ("emulate:emulate", "Run a command, by default a shell, behind an emulated network in real time."),
    "completion": (
        "completion:completion",
        "Print the script with which a shell completes commands, options and values.",
    ),
    "help": (
        "help:help_",
        "Say what a name means: a command, field, algorithm, queue, table, column, measure, study or code of an error.",
    ),
    "explain": ("help:explain", "Explain the code of an error: what it means, an example, and what to do."),
    "learn": ("learn:app", "Find a congestion control for the networks that you expect, and evaluate it."),
    "tmix": ("tmix:app", "Make connection vectors for the application tmix."),
    "kernel": (
        "kernel:app",
        "Build kernels that run scenarios in virtual time, and load congestion controls into the running one.",
    ),
}
"""Place of each command below `ackclock.cli`, and its line in the list that ``ackclock --help`` prints."""


def option_of(parameter: str) -> str:
    """The name of the option for a parameter of a command, without its hyphens: `from_` is for ``--from``."""
    return "set" if parameter == "settings" else parameter.strip("_").replace("_", "-")
