"""Decision records are numbered from 1 without gaps, named after their titles, and listed in the index."""

import re
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "docs" / "adr"
RECORDS = sorted(FOLDER.glob("[0-9]*.md"))


def test_every_decision_has_a_number_of_its_own():
    assert [int(path.name[:4]) for path in RECORDS] == list(range(1, len(RECORDS) + 1))


def test_the_title_of_a_decision_begins_with_its_number():
    wrong = [path.name for path in RECORDS if not path.read_text().startswith(f"# {int(path.name[:4])}. ")]

    assert wrong == []


def test_the_file_of_a_decision_is_named_after_its_title():
    assert [path.name for path in RECORDS] == [_file_name(path) for path in RECORDS]


def test_the_index_lists_every_decision_with_its_title():
    rows = re.findall(r"^\| (\d+) \| \[(.+)\]\((.+)\) \|", (FOLDER / "README.md").read_text(), re.MULTILINE)

    assert rows == [(str(int(path.name[:4])), _title(path), path.name) for path in RECORDS]


def _title(path: Path) -> str:
    return path.read_text().partition("\n")[0].partition(". ")[2]


def _file_name(path: Path) -> str:
    return f"{path.name[:4]}-{re.sub('[^a-z0-9]+', '-', _title(path).lower()).strip('-')}.md"
