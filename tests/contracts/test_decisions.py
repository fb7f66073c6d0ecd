"""Decision records are numbered from 1 without gaps, and their titles begin with their numbers."""

from pathlib import Path

RECORDS = sorted((Path(__file__).parents[2] / "docs" / "adr").glob("[0-9]*.md"))


def test_every_decision_has_a_number_of_its_own():
    assert [int(path.name[:4]) for path in RECORDS] == list(range(1, len(RECORDS) + 1))


def test_the_title_of_a_decision_begins_with_its_number():
    wrong = [path.name for path in RECORDS if not path.read_text().startswith(f"# {int(path.name[:4])}. ")]

    assert wrong == []
