"""Draws the figures of bench/results/compare.json as compare.svg: `python bench/peers/plot.py [FILE]`."""

import json
import sys
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

RESULTS = Path(__file__).parents[1] / "results"
WIDTH, NAME, BAR, GAP, TITLE = 860, 150, 13, 10, 46
OURS, THEIRS = ("#1a7f64", "#7cc6ad"), ("#7a8290", "#b9bfc9")
PANELS = (
    ("No-op tasks a second, higher is better", ("drain_per_s.1", "drain_per_s.2"), ("1 process", "2 processes")),
    (
        "Tasks a second in graphs, 1 process, higher is better",
        ("chain_tasks_per_s.1", "fan1000_tasks_per_s.1"),
        ("chains of 3", "fan-in of 1000"),
    ),
    (
        "Milliseconds until a task starts, idle system, lower is better",
        ("latency_p50_ms.1", "latency_p95_ms.1"),
        ("p50", "p95"),
    ),
)


def main() -> None:
    source = Path(sys.argv[1]) if len(sys.argv) > 1 else RESULTS / "compare.json"
    source.with_suffix(".svg").write_text(draw(json.loads(source.read_text())))


def draw(result: dict[str, Any]) -> str:
    """Draw panels below each other; each has a pair of bars per system that has the figures."""
    parts: list[str] = []
    top = 0
    for title, figures, legend in PANELS:
        rows = _rows(result["systems"], figures, rising=figures[0].endswith("ms.1"))
        if rows:
            parts += _panel(top, title, legend, rows)
            top += TITLE + len(rows) * (2 * BAR + GAP) + 16
    about = (
        f"{result['cores']} cores, {result['cpu']}, Postgres {result['postgres']['server_version']}, {result['date']}"
    )
    parts.append(_text(12, top + 14, f"{about}; versions and settings: bench/results/compare.json", size=11))
    frame = f'<rect width="{WIDTH}" height="{top + 26}" fill="#ffffff"/>'
    opening = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {top + 26}" font-family="sans-serif">'
    return "\n".join([opening, frame, *parts, "</svg>", ""])


def _rows(systems: dict[str, Any], figures: tuple[str, ...], *, rising: bool) -> list[tuple[str, list[float | None]]]:
    """Return names and values, the best first."""
    rows = [(name, [_figure(system, figure) for figure in figures]) for name, system in systems.items()]
    kept = [(name, values) for name, values in rows if any(value is not None for value in values)]
    return sorted(kept, key=lambda row: (row[1][0] or 0) * (1 if rising else -1))


def _figure(system: dict[str, Any], figure: str) -> float | None:
    name, processes = figure.split(".")
    return system.get(name, {}).get(processes)


def _panel(top: int, title: str, legend: tuple[str, ...], rows: list[tuple[str, list[float | None]]]) -> list[str]:
    parts = [_text(12, top + 22, title, size=15, bold=True)]
    for no, word in enumerate(legend):
        x = NAME + no * 130
        parts.append(_rect(x, top + 31, 10, 10, THEIRS[no]))
        parts.append(_text(x + 15, top + 40, word, size=11))
    longest = max(value for _, values in rows for value in values if value is not None)
    y = top + TITLE
    for name, values in rows:
        colours = OURS if name == "tenuto" else THEIRS
        parts.append(_text(12, y + BAR + 4, name, size=13, bold=name == "tenuto"))
        for no, value in enumerate(values):
            if value is not None:
                length = max(1.0, value / longest * (WIDTH - NAME - 90))
                parts.append(_rect(NAME, y + no * BAR, length, BAR - 1, colours[no]))
                parts.append(_text(NAME + length + 6, y + no * BAR + 10, _number(value), size=11))
        y += 2 * BAR + GAP
    return parts


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"


def _rect(x: float, y: float, width: float, height: float, colour: str) -> str:
    return f'<rect x="{x:.0f}" y="{y:.0f}" width="{width:.1f}" height="{height}" fill="{colour}"/>'


def _text(x: float, y: float, text: str, *, size: int, bold: bool = False) -> str:
    weight = ' font-weight="bold"' if bold else ""
    return f'<text x="{x:.0f}" y="{y:.0f}" font-size="{size}" fill="#1f2430"{weight}>{escape(text)}</text>'


if __name__ == "__main__":
    main()
