"""Requirements of the RFCs: each has its place in the code and a test, and the page that says so is of today."""

import re
import textwrap

import pytest

from tools.compliance import annotations, report, requirements, texts

RFCS = [5681, 6298, 6356, 6582, 6675, 6928, 6937, 7323, 7661, 8985, 9438, 9937]

TABLE = """
title = "Sample"
about = "A sample."

[[requirement]]
id = "2-1"
section = "2"
level = "MUST"
quote = "a host MUST wait for one second"

[[requirement]]
id = "2-2"
section = "2"
level = "MAY"
quote = "it MAY wait longer"
status = "not applicable"
reason = "A permission that is not used."
"""

HEAD = "//= https://www.rfc-editor.org/rfc/rfc1#section-2"
QUOTE = "//# a host MUST wait for\n//# one second"
CODE = f"fn wait() {{\n{HEAD}\n{QUOTE}\n    later();\n}}\n"
TEST = f"{HEAD}\n//= type=test\n{QUOTE}\n#[test]\nfn it_waits() {{}}\n"


@pytest.fixture(scope="module")
def repository():
    """The tables, findings and problems of the repository."""
    return report.examine()


def test_every_requirement_has_its_place_and_its_tests(repository):
    _, _, problems = repository
    assert problems == []


def test_the_page_is_that_of_the_sources(repository):
    documents, findings, _ = repository
    text = (annotations.ROOT / report.PAGE).read_text(encoding="utf-8")
    assert text == report.page(documents, findings), "python -m tools.compliance writes it anew"


def test_the_tables_are_those_of_all_rfcs(repository):
    documents, findings, _ = repository
    assert [document.rfc for document in documents] == RFCS
    assert all(document.requirements for document in documents)
    assert {one.status for one in findings} == {*report.STATUSES}


@pytest.fixture
def tables(tmp_path):
    """Reads a table."""

    def read(text):
        (tmp_path / "rfc1.toml").write_text(text, encoding="utf-8")
        return requirements.load(tmp_path)

    return read


@pytest.fixture
def problems(tables, tmp_path):
    """The problems of sources, given by their paths, under the table above."""

    def check(**sources):
        for name, text in sources.items():
            path = tmp_path / {"code": "crates/a/src/a.rs", "tests": "crates/a/tests/a.rs"}[name]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        found, wrong = annotations.scan(tmp_path)
        return wrong + report.judge(tables(TABLE), found)[1]

    return check


def test_code_and_test_suffice(problems):
    assert problems(code=CODE, tests=TEST) == []


def test_what_is_missing_is_named(problems):
    no_code = ["RFC 1, 2-1: no code is annotated with it: a host MUST wait for one second"]
    assert problems() == no_code
    assert problems(code=CODE) == ["RFC 1, 2-1: no test is annotated with it: a host MUST wait for one second"]
    assert problems(code="", tests=TEST) == no_code


def test_an_exception_with_a_reason_is_enough(problems):
    deviates = CODE.replace(HEAD, f"{HEAD}\n//= type=exception\n//= reason=Two seconds,\n//= as ever.")
    assert problems(code=deviates) == []
    assert problems(code=CODE + deviates, tests=TEST) == []


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (CODE.replace("one second", "two seconds"), r"a\.rs:2: the table has no such requirement: RFC 1, section 2"),
        (CODE.replace("section-2", "section-3"), r"a\.rs:2: the table has no such requirement: RFC 1, section 3"),
        (CODE.replace("rfc-editor", "elsewhere"), r"a\.rs:2: an annotation begins with //= https://www"),
        (CODE.replace(QUOTE, ""), r"a\.rs:2: an annotation ends with its quotation"),
        (CODE.replace(HEAD, f"{HEAD}\n//= type=wish"), r"a\.rs:2: type=wish: accepted are exception, impl"),
        (CODE.replace(HEAD, f"{HEAD}\n//= note=x"), r"a\.rs:2: //= note=x: accepted are type"),
        (CODE.replace(HEAD, f"{HEAD}\n//= type=exception"), r"a\.rs:2: an exception needs a reason"),
        (CODE.replace(HEAD, f"{HEAD}\n//= reason=x"), r"a\.rs:2: an exception needs a reason"),
        (TEST.replace("#[test]\n", ""), r"a\.rs:1: type=test stands directly above a function with #\[test\]"),
        (TEST.replace("//= type=test\n", ""), r"a\.rs:1: a test needs //= type=test"),
        (CODE.replace(QUOTE, "//# it MAY wait longer"), r"RFC 1, 2-2: not applicable by its table, but annotated"),
    ],
)  # fmt: skip
def test_an_annotation_that_is_wrong_is_named(problems, code, message):
    found = "\n".join(problems(code=code))
    assert re.search(message, found), found


def test_implementations_stand_in_sources(problems):
    assert problems(tests=CODE)[0] == "crates/a/tests/a.rs:2: a test needs //= type=test"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("MUST", "OUGHT"), r"rfc1\.toml: 2-1: level 'OUGHT'; accepted are MAY"),
        (("not applicable", "done"), r"rfc1\.toml: 2-2: status 'done'; accepted are deviating, not applicable"),
        (('reason = "A permission that is not used."', ""), r"rfc1\.toml: 2-2: a status needs a reason"),
        (('id = "2-2"', 'id = "2-1"'), r"rfc1\.toml: the id stands there twice: 2-1"),
        (('id = "2-2"', 'id = "3-2"'), r"rfc1\.toml: 3-2: the id begins with the section, 2-"),
        (('level = "MAY"', 'rank = "MAY"'), r"rfc1\.toml: 2-2: rank: accepted are id, level"),
        (('section = "2"\nlevel = "MAY"', 'section = "2"'), r"rfc1\.toml: 2-2: level is missing"),
    ],
)
def test_a_table_that_is_wrong_is_refused(tables, change, message):
    with pytest.raises(ValueError, match=message):
        tables(TABLE.replace(*change, 1) if change[0] != "MUST" else TABLE.replace('"MUST"', '"OUGHT"'))


def places(source):
    """Names of the places of all annotations in a source."""
    return [one.place for one in annotations.read("crates/a/src/a.rs", textwrap.dedent(source))]


def test_a_place_is_the_item_below_or_the_function_around():
    source = f"""
        impl Thing {{
            {HEAD}
            //# a
            pub(super) fn first(&self) {{}}

            /// Told.
            fn second(
                &self,
            ) -> u64 {{
                match self {{
                    {HEAD}
                    //# a
                    _ => 1,
                }}
            }}
        }}

        {HEAD}
        //# a
        const LIMIT: u64 = 1;

        pub(super) const STACK: Stack = Stack {{
            {HEAD}
            //# a
            value: 1,
        }};
    """
    assert places(source) == ["first", "second", "LIMIT", "STACK"]


TEXT = """
2.  Waiting

   A host with nothing to do must not wait.  In that case a host MUST wait for

Nobody                       Standards Track                    [Page 1]

RFC 1                            Waiting                       April 1969


   one second, on a high-
   speed path.  The key words "MUST" and "MAY" are to be interpreted as usual.

   It is late, and it MAY wait longer.
"""


def test_a_table_agrees_with_its_text(tables):
    (document,) = tables(TABLE)
    assert texts.missing(document, TEXT) == []
    assert texts.missing(document, TEXT.replace("longer", "less")) == [
        "RFC 1, 2-2: not in the text: it MAY wait longer",
        "RFC 1, section 2: no requirement quotes: It is late, and it MAY wait less.",
    ]
    assert texts.missing(document, TEXT + "\n   A host SHOULD sleep.\n") == [
        "RFC 1, section 2: no requirement quotes: A host SHOULD sleep."
    ]
    (lenient,) = tables(TABLE.replace('about = "A sample."', 'about = ""\nnot_requirements = ["A host SHOULD"]'))
    assert texts.missing(lenient, TEXT + "\n   A host SHOULD sleep.\n") == []
