"""Uses between the modules of a crate, read from their paths (`crate::`, `super::`, `self::`)."""

import re

TESTS = {"tests", "testing"}
"""Modules for tests, which may use what they test and what is beside it."""

GROUP = re.compile(r"\b((?:crate|super|self)(?:::\w+)*)::\{")
PATH = re.compile(r"\b((?:crate|super|self)(?:::\w+)+)")


def code_of(file):
    """The code of a file without comments, texts and the module of tests at its end."""
    text = file.read_text(encoding="utf-8").partition("#[cfg(test)]\nmod tests {")[0]
    lines = (line for line in text.splitlines() if not line.lstrip().startswith("//"))
    return re.sub(r'"(?:[^"\\]|\\.)*"', '""', "\n".join(lines))


def parts(group):
    """The paths between the braces of a group, each of which may be a group again."""
    depth, begin = 0, 0
    for at, letter in enumerate(group):
        depth += {"{": 1, "}": -1}.get(letter, 0)
        if letter == "," and not depth:
            yield group[begin:at].strip()
            begin = at + 1
    yield group[begin:].strip()


def expanded(path):
    """The paths that a path with groups stands for, as lists of names."""
    before, brace, inside = path.partition("{")
    names = [name.split(" as ")[0].strip() for name in before.split("::") if name.strip()]
    if not brace:
        yield names
        return
    for part in parts(inside.rpartition("}")[0]):
        for rest in expanded(part):
            yield names + rest


def paths(code):
    """All paths in a file that begin inside the crate."""
    for found in PATH.finditer(code):
        yield found[1].split("::")
    for found in GROUP.finditer(code):
        end, depth = found.end(), 1
        while depth:
            depth += {"{": 1, "}": -1}.get(code[end], 0)
            end += 1
        yield from expanded(code[found.start() : end])


def target(module, path, known):
    """The module that a path inside `module` leads to; what the path names in it does not count."""
    place = list(module)
    for step, name in enumerate(path):
        if name == "super":
            place.pop()
        elif name == "crate":
            place = []
        elif name != "self":
            rest = path[step:]
            break
    else:
        rest = []
    for name in rest:
        if (*place, name) not in known:
            break
        place.append(name)
    return tuple(place)


def levels(folder):
    """For each module that has others inside: which of those uses which others of them.

    What is in a folder belongs to the module of the folder. That a module uses the one that it is inside, or the other
    way round, does not count.
    """
    files = {}
    for file in folder.rglob("*.rs"):
        names = file.relative_to(folder).with_suffix("").parts
        module = names[:-1] if names[-1] in {"mod", "lib", "main"} else names
        if not TESTS & set(module):
            files[module] = code_of(file)
    known = {module[:length] for module in files for length in range(len(module) + 1)}
    graphs = {}
    for module, code in files.items():
        for path in paths(code):
            used = target(module, path, known)
            same = 0
            while same < min(len(module), len(used)) and module[same] == used[same]:
                same += 1
            if same < min(len(module), len(used)):
                graphs.setdefault(module[:same], {}).setdefault(module[same], set()).add(used[same])
    return graphs
