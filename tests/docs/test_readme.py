"""The front page stays short, shows code that runs and figures that were measured, and names pages that keep a form."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.support.docs.pages import blocks_of

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
SUCCEEDED = ("foreman", "spider", "trace", "wgp")
SECTIONS = [
    "What you write",
    "Use it instead of …",
    "Use something else when …",
    "Five promises, and how to see them",
    "Figures",
    "When something dies",
    "Install",
    "State of the project",
]


def section(title: str) -> str:
    return README.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def rows(title: str) -> list[list[str]]:
    lines = [line for line in section(title).splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def figure(system: str, *names: str) -> float:
    """A figure of bench/results/compare.json, in thousands per second or in milliseconds."""
    results: Any = json.loads((ROOT / "bench/results/compare.json").read_text())["systems"][system]
    value = results[names[0]]["1"]
    return value if names[0].endswith("_ms") else value / 1000


def test_the_front_page_has_its_sections_in_order_and_stays_short() -> None:
    assert re.findall(r"^## (.+)$", README, re.MULTILINE) == SECTIONS
    assert len(README.splitlines()) <= 180


def test_the_four_ways_in_are_at_most_eight_lines_of_code_that_runs() -> None:
    end = README[: README.index("\n## Use it instead of")].count("\n")
    blocks = [block for block in blocks_of(ROOT / "README.md") if block.line < end and block.language != "text"]

    assert len(blocks) == 4
    assert [block for block in blocks if block.not_run] == []
    lengths = [len([line for line in block.code.splitlines() if line]) for block in blocks]
    assert max(lengths) <= 8, lengths


def test_no_page_installs_from_pypi_before_a_release() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.md")]
    installs = {str(page.relative_to(ROOT)): re.findall(r"pip install .*tenuto.*", page.read_text()) for page in pages}

    assert {page: lines for page, lines in installs.items() if lines} == {}


def test_there_are_five_promises_with_a_command_each() -> None:
    promises = rows("Five promises, and how to see them")[1:]

    assert len(promises) == 5
    assert all(re.search(r"`(make|tenuto) \w+", command) for _, command in promises)
    named = re.findall(r"ARGS=(\S+)`|python (\S+)`", section("Five promises, and how to see them"))
    assert [path for pair in named for path in pair if path and not (ROOT / path).exists()] == []


@pytest.mark.parametrize(
    ("row", "name"),
    [
        ("from the start", "latency_p50_ms"),
        ("tasks that one worker", "drain_per_s"),
        ("chains of three", "chain_tasks_per_s"),
        ("a thousand parallel", "fan1000_tasks_per_s"),
        ("starting tasks one by one", "enqueue_one_per_s"),
        ("the same worker with a limit", "limited_drain_per_s"),
    ],
)
def test_figures_are_those_that_were_measured(row: str, name: str) -> None:
    systems = {"graphile-worker": "graphile", "pg-boss": "pgboss"}
    (cells,) = [cells for cells in rows("Figures") if cells[0].startswith(row)]
    shown: list[tuple[str, str]] = [("tenuto", cells[1].split()[0]), *re.findall(r"([A-Za-z-]+) ([\d.]+)", cells[2])]

    assert len(shown) > 1 or name == "limited_drain_per_s"
    for system, value in shown:
        digits = len(value.partition(".")[2])
        assert float(value) == round(figure(systems.get(system) or system.lower(), name), digits), system


def test_the_front_page_has_at_most_eight_figures() -> None:
    assert len(rows("Figures")[1:]) <= 8
    deploys = json.loads((ROOT / "bench/results/deploys.json").read_text())
    assert f"{deploys['cutover_ms']:.0f} ms; {deploys['rollback_ms']:.0f} ms" in section("Figures")


@pytest.mark.parametrize("system", SUCCEEDED)
def test_a_guide_has_a_table_of_what_does_not_work_yet(system: str) -> None:
    page = f"docs/howto/migrate-from-{system}.md"
    text = (ROOT / page).read_text().partition("\n## What does not work yet\n")[2]
    table = [re.split(r"(?<!\\) \| ", line.strip("| ")) for line in text.splitlines() if line.startswith("| ")]

    assert len(table) > 15
    assert [row for row in table if len(row) != 3 or not all(row)] == []
    assert f"({page}#what-does-not-work-yet)" in README


@pytest.mark.parametrize("system", ["airflow", "dagster", "hatchet", "prefect"])
def test_a_guide_has_a_table_a_program_and_what_is_missing(system: str) -> None:
    text = (ROOT / f"docs/howto/migrate-from-{system}.md").read_text()

    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == [
        "Side by side", "Differences", "What is missing", "How to migrate",
    ]  # fmt: skip
    assert len(re.findall(r"^\| `?@?\w", text, re.MULTILINE)) > 15
