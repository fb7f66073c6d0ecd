"""Reading YAML: positions, values of JSON only, and bounds on everything."""

import pytest

from tenuto.dag.problems import InvalidDag, Position
from tenuto.dag.yaml_tree import MAX_YAML_BYTES, read_tree


def problems(text: str | bytes) -> list[str]:
    with pytest.raises(InvalidDag) as invalid:
        read_tree(text)
    return [str(problem) for problem in invalid.value.problems]


def test_values_are_those_of_json():
    text = "{a: 1, b: -2.5, c: true, d: null, e: '1', f: yes, g: 2026-01-31, h: 012, i: 1e3, j: [~, ''], k: 0x1f}"

    assert read_tree(text).json() == {
        "a": 1, "b": -2.5, "c": True, "d": None, "e": "1", "f": "yes", "g": "2026-01-31", "h": "012", "i": 1000.0,
        "j": [None, ""], "k": "0x1f",
    }  # fmt: skip


def test_every_value_knows_its_line_and_column():
    tree = read_tree("name: orders\njobs:\n  - name: extract\n")
    jobs = tree.get("jobs")
    assert jobs is not None
    name = jobs.items()[0].get("name")

    assert name is not None
    assert (name.key, name.at) == (Position(3, 5), Position(3, 11))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a: &x 1\nb: *x", "1:4: a: &x is an anchor; remove it: there are no aliases"),
        ("a: 1\nb: 2\na: 3", "3:1: a: the key is already set in line 1"),
        ("a: !!python/object:os.system 1", "1:4: a: 'tag:yaml.org,2002:python/object:os.system' is a tag; remove it"),
        ("a: 1\n---\nb: 2", "2:1: a second document starts here; write one DAG"),
        ("a: {<<: {b: 1}}", "1:5: a: << merges mappings; write the keys themselves"),
        ("? [a]\n: 1", "1:3: ['a'] is not a valid key; write a text of ≤ 200 characters"),
        ('a: "\\0"', "1:4: a: the text contains a control character"),
        ("a: 9007199254740993", "1:4: a: 9007199254740993 is too large a number; write it in quotes"),
        ("a: 1e999", "1:4: a: 1e999 is too large a number; write it in quotes"),
        ("", "1:1: the document is empty"),
        (b"a: \xff", "1:1: the document is not UTF-8"),
        ("a: \ud800", "1:1: the document is not UTF-8"),
    ],
)
def test_what_yaml_allows_and_a_dag_does_not(text: str | bytes, problem: str):
    assert problem in problems(text)


@pytest.mark.parametrize("text", ["a: [1", "a: 'x", "a:\n\t- b", "{", "a: b: c", "%YAML 9.9\n---\na: 1", "- a\nb: 1"])
def test_text_that_is_not_yaml_names_the_place(text: str):
    found = problems(text)

    assert len(found) == 1
    assert ": the document is not YAML: " in found[0]


@pytest.mark.parametrize("open_", ["[", "{a: ", "- ", "? ", "[{a: ", "!x ["])
def test_a_deep_document_is_refused_before_it_is_built(open_: str):
    found = problems(open_ * 20_000)

    assert len(found) >= 1
    assert "nested more than 32 levels" in found[-1] or "not YAML" in found[-1]


def test_sizes_are_bounded():
    assert problems("a" * (MAX_YAML_BYTES + 1)) == ["1:1: the document has 262,145 bytes, more than 262,144"]
    assert problems("a: " + "x" * 65_537) == ["1:4: a: the text has 65,537 characters, more than 65,536"]
    assert problems("? " + "x" * 201 + "\n: 1")[0].endswith("is not a valid key; write a text of ≤ 200 characters")


def test_a_billion_laughs_are_aliases():
    levels = "\n".join(f"a{number}: &a{number} [*a{number - 1}, *a{number - 1}]" for number in range(1, 30))

    assert "alias" in problems(f"a0: &a0 lol\n{levels}")[1]


def test_thousands_of_problems_are_listed_as_a_hundred():
    with pytest.raises(InvalidDag) as invalid:
        read_tree("\n".join(f"k{number}: *x{number}" for number in range(5_000)))

    assert len(invalid.value.problems) == 5_000
    assert str(invalid.value).splitlines()[-1] == "and 4,900 more problems"


def test_a_syntax_error_names_its_place():
    assert problems("name: a\njobs: [1, 2\nx: 1") == ["3:2: the document is not YAML: did not find expected ',' or ']'"]
