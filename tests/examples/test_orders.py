"""The DAG of examples/11_orders: its jobs, run one after the other, publish what its document declares."""

from dataclasses import asdict
from pathlib import Path

import pytest

from tenuto.dag.definitions import Job
from tenuto.dag.parse import parse_dag
from tenuto.model.json import JsonObject
from tenuto.sdk.app_loader import load_app
from tests.operators.jobs import Workbench, an_output
from tests.support.processes.terminal import ROOT

FOLDER = ROOT / "examples" / "11_orders"
DAY = "2026-11-17"


def run(bench: Workbench, job: Job) -> JsonObject:
    outputs = [an_output(**asdict(output)) for output in job.outputs]
    (published,) = bench.run(job.operator, job.config, *outputs, partition=DAY)
    return published


def test_the_orders_of_a_day_add_up_per_region(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FOLDER)
    functions = load_app("jobs:app").functions
    dag = parse_dag((FOLDER / "dag.yaml").read_text(), functions=functions)
    bench = Workbench(tmp_path, functions=functions)

    orders = bench.read(run(bench, dag.job("extract")))
    bench.add_input("orders_raw", orders)
    daily = run(bench, dag.job("daily"))

    rows = bench.read(daily).to_pylist()
    assert [row["region"] for row in rows] == ["asia", "eu", "us"]
    assert sum(row["orders"] for row in rows) == orders.num_rows == 100
    assert sum(row["total"] for row in rows) == sum(row["total"] for row in orders.to_pylist())
    assert [result["passed"] for result in daily["checks"]] == [True]  # type: ignore[union-attr,index]
