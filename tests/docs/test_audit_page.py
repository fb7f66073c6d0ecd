"""The page about the audit log names every word that SQL functions record."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
RECORDED = re.compile(r"tenuto\._audit(?:_many)?\(\s*p_org_id,\s*'(\w+)',\s*[^',]+,\s*'(\w+)'")


def recorded() -> set[tuple[str, str]]:
    files = (ROOT / "src/tenuto/sql").rglob("*.sql")
    return {(entity, action) for file in files for entity, action in RECORDED.findall(file.read_text())}


def test_every_action_on_every_entity_is_on_the_page() -> None:
    rows = [line for line in (ROOT / "docs/operate/audit.md").read_text().splitlines() if line.startswith("| `")]
    assert len(recorded()) > 50

    missing = [
        (entity, action)
        for entity, action in sorted(recorded())
        if not any(f"`{entity}`" in row.split("|")[1] and f"`{action}`" in row for row in rows)
    ]

    assert missing == []
