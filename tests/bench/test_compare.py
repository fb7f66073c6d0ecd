"""What the comparison computes from what it measured, and that its locks name nobody's registry."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from bench.peers.plot import draw
from bench.peers.rates import Tallies
from bench.peers.registry import PEERS, TENUTO
from bench.peers.report import Record, ratios

PEERS_FOLDER = Path(__file__).parents[2] / "bench" / "peers"


def note(folder: Path, process: int, *marks: tuple[float, int]) -> None:
    lines = [f"{int(seconds * 1e9)} {count}\n" for seconds, count in marks]
    (folder / f"{process}.runs").write_text("".join(lines))


def test_the_rate_of_one_process_runs_from_its_first_task_to_the_last_commit(tmp_path):
    note(tmp_path, 1, (10.0, 0), (11.0, 600), (12.0, 1000))
    tallies = Tallies(tmp_path)

    assert tallies.read() == 1000
    assert tallies.rate(1000, ended=12.5) == pytest.approx(1000 / 2.5)


def test_tasks_run_before_every_process_was_at_work_do_not_count(tmp_path):
    note(tmp_path, 1, (10.0, 0), (12.0, 400), (14.0, 800))
    note(tmp_path, 2, (11.0, 0), (14.0, 600))
    tallies = Tallies(tmp_path)

    assert tallies.read() == 1400
    assert tallies.rate(1400, ended=14.0) == pytest.approx((1400 - 200) / 3)


def test_a_line_that_is_half_written_is_read_when_it_is_whole(tmp_path):
    file = tmp_path / "1.runs"
    file.write_text("1000 0\n2000 5")
    tallies = Tallies(tmp_path)

    assert tallies.read() == 0
    with file.open("a") as more:
        more.write("00\n")
    assert tallies.read() == 500


def test_ratios_are_ours_divided_by_theirs_and_the_best_latency_is_of_a_postgres_peer():
    by_name = {peer.name: peer for peer in PEERS}
    chosen = [TENUTO, by_name["graphile"], by_name["pgqueuer"], by_name["celery"]]
    record = Record(skipped={})
    record.add(TENUTO, {"drain_per_s.1": 60.0, "latency_p50_ms.1": 2.0, "enqueue_bulk_per_s.2": 90.0})
    record.add(by_name["graphile"], {"drain_per_s.1": 40.0, "latency_p50_ms.1": 4.0, "enqueue_bulk_per_s.2": 60.0})
    record.add(by_name["pgqueuer"], {"drain_per_s.1": 20.0, "latency_p50_ms.1": 5.0, "enqueue_bulk_per_s.2": 45.0})
    record.add(by_name["celery"], {"drain_per_s.1": 1.0, "latency_p50_ms.1": 1.0})

    found = ratios({peer.name: record.medians(peer.name) for peer in chosen}, chosen)

    assert found["drain_vs_graphile"] == {"1": 1.5}
    assert found["drain_vs_pgqueuer"] == {"1": 3.0}
    assert found["enqueue_vs_best"] == {"2": 1.5}
    assert found["latency_p50_vs_best"] == {"1": 0.5}


def test_every_peer_has_its_programs():
    folders = {"celery-prefork": "celery"}
    missing = [
        peer.name
        for peer in (TENUTO, *PEERS)
        if not list((PEERS_FOLDER / folders.get(peer.name, peer.name)).glob("sender.*"))
    ]

    assert missing == []


def test_the_plot_is_a_picture_with_a_bar_for_each_figure():
    systems = {"tenuto": {"drain_per_s": {"1": 2.0, "2": 3.0}}, "a < b": {"drain_per_s": {"1": 1.0}}}
    about = {"cores": 2, "cpu": "x", "date": "2026-01-01", "postgres": {"server_version": "18"}}

    picture = ElementTree.fromstring(draw({**about, "systems": systems}))  # noqa: S314 - we wrote it

    bars = [one for one in picture.iter("{http://www.w3.org/2000/svg}rect") if one.get("fill") != "#ffffff"]
    assert len(bars) == 3 + 2, "three bars and the two squares of the legend"


def test_the_locks_of_the_peers_pin_by_hash_and_name_no_registry():
    python = (PEERS_FOLDER / "requirements.txt").read_text()
    node = json.loads((PEERS_FOLDER / "package-lock.json").read_text())["packages"]

    assert "--hash=sha256:" in python
    assert "://" not in python
    assert [name for name, package in node.items() if "resolved" in package] == []
    assert [name for name, package in node.items() if name and "integrity" not in package] == []
