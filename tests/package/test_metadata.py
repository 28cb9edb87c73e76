"""Metadata for package indexes, and the conda recipe, compared with the files that own the facts."""

import re
import tomllib

import pytest
import yaml

from tests.helpers.places import ROOT

CONDA = {"duckdb": "python-duckdb", "matplotlib": "matplotlib-base"}
"""Packages that have another name at conda-forge; all others have their own in lower case."""

TOP = {"schema_version", "context", "package", "source", "build", "requirements", "tests", "about"}
"""The sections of a recipe that are used here: prefix-dev's recipe format, version 1."""


@pytest.fixture(scope="module")
def project():
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.fixture(scope="module")
def recipe():
    return yaml.safe_load((ROOT / "tools/packaging/conda/recipe.yaml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def citation():
    return yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))


def conda(requirement):
    """A requirement of pip in the form of conda."""
    name, floor = requirement.lower().split(">=")
    return f"{CONDA.get(name, name)} >={floor}"


def test_the_package_says_who_made_it_what_for_and_where_it_runs(project, citation):
    assert [one["name"] for one in project["authors"]] == [one["name"] for one in citation["authors"]]
    assert project["keywords"] == citation["keywords"]
    topics = {one.partition(" :: ")[0] for one in project["classifiers"]}
    assert topics >= {"Development Status", "Intended Audience", "Operating System", "Programming Language", "Topic"}
    assert project["classifiers"] == sorted(project["classifiers"])
    oldest = re.fullmatch(r">=(3\.\d+)", project["requires-python"])[1]
    assert f"Programming Language :: Python :: {oldest}" in project["classifiers"]
    # A classifier of a licence beside a licence expression is an error for package indexes (PEP 639).
    assert not [one for one in project["classifiers"] if one.startswith("License")]


def test_the_recipe_is_one_and_has_the_facts_of_their_owners(project, recipe):
    assert set(recipe) <= TOP
    assert recipe["schema_version"] == 1
    version = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]["package"]["version"]
    assert recipe["context"]["version"] == version
    assert recipe["package"] == {"name": project["name"], "version": "${{ version }}"}
    assert recipe["about"]["license"] == project["license"]
    assert recipe["about"]["license_file"] == project["license-files"]
    ((command, function),) = project["scripts"].items()
    assert recipe["build"]["python"]["entry_points"] == [f"{command} = {function}"]


def test_the_recipe_needs_what_the_package_needs(project, recipe):
    needs = recipe["requirements"]
    python = f"python {project['requires-python']}"
    assert sorted(needs["run"]) == sorted([python, *map(conda, project["dependencies"])])
    extras = project["optional-dependencies"]
    optional = {conda(one) for extra in ("cluster", "plot", "serve", "worst") for one in extras[extra]}
    assert sorted(needs["run_constraints"]) == sorted(optional)
    backend = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["build-system"]["requires"]
    assert {one.replace(" ", "") for one in needs["host"]} == {python.replace(" ", ""), "pip", *backend}
    assert '${{ compiler("rust") }}' in needs["build"]


def test_files_and_commands_of_the_recipe_exist(recipe):
    folder = ROOT / "tools/packaging/conda"
    assert (folder / recipe["source"]["path"]).resolve() == ROOT.resolve()
    for path in recipe["about"]["license_file"]:
        # The build writes the licences of crates.
        assert path == "THIRD-PARTY-LICENSES" or (ROOT / path).is_file()
    (script,) = [one["script"] for one in recipe["tests"] if "script" in one]
    assert all(line.startswith("ackclock ") for line in script)
    assert (ROOT / "python/ackclock/examples/transfer.toml").is_file()
