"""What README shows of the example is the example, and the guides that it names say what does not work yet."""

import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
GUIDES = ("foreman", "spider", "trace", "wgp")


def test_the_job_in_readme_is_the_job_of_the_example_without_its_columns():
    (block,) = re.findall(r"```yaml\n(.*?)```", README, re.DOTALL)
    (shown,) = yaml.safe_load(block)
    jobs = yaml.safe_load((ROOT / "examples/11_orders/dag.yaml").read_text())["jobs"]
    job = next(job for job in jobs if job["name"] == shown["name"])
    for output in job["outputs"]:
        del output["columns"]

    assert shown == job


@pytest.mark.parametrize("system", GUIDES)
def test_a_guide_has_a_table_of_what_does_not_work_yet(system: str):
    page = f"docs/howto/migrate-from-{system}.md"
    text = (ROOT / page).read_text().partition("\n## What does not work yet\n")[2]
    rows = [re.split(r"(?<!\\) \| ", line.strip("| ")) for line in text.splitlines() if line.startswith("| ")]

    assert len(rows) > 15
    assert [row for row in rows if len(row) != 3 or not all(row)] == []
    assert f"({page}#what-does-not-work-yet)" in README
