"""Dataset versions with lineage, without the tasks that would record it."""

from collections.abc import Sequence
from typing import Any

from tests.support.database.jobs import deployed
from tests.support.database.tasks import DEFAULT_ORG, Db, call


def a_chain(count: int, *, per_job: int = 1) -> dict[str, Any]:
    """A DAG of sources d0, d1 … (`per_job` of them), and jobs that each read the datasets before."""
    jobs: list[dict[str, Any]] = []
    for number in range(count):
        inputs = [{"from": {"dataset": f"d{before}"}} for before in range(max(0, number - per_job), number)]
        kind = (
            {"activation": "reactive", "inputs": inputs, "execution_strategy": "PerUpdate", "operator": "sql",
             "config": {"sql": f"select {number}"}}
            if inputs else
            {"activation": "source", "source": {"kind": "manual"}, "operator": "python", "config": {"task": "a.b"}}
        )  # fmt: skip
        jobs.append({"name": f"j{number}", "outputs": [{"dataset": f"d{number}"}], **kind})
    return {"name": "chain", "jobs": jobs}


def record(db: Db, dataset: str, inputs: Sequence[str], columns: Sequence[tuple[Any, ...]] | None = None) -> None:
    """Record the lineage of the current version of a dataset; columns are (column, input, field[, kind, subtype])."""
    versions = dict(db.execute("select name, current_version_id from tenuto.datasets").fetchall())
    ids = dict(db.execute("select name, id from tenuto.datasets").fetchall())
    for name in inputs:
        db.execute(
            "insert into tenuto.table_lineage values (%s, %s, %s, %s, tenuto.now())",
            [DEFAULT_ORG, versions[dataset], versions[name], ids[name]],
        )
    if columns is None:
        return
    db.execute(
        "insert into tenuto.lineage_methods values (%s, %s, 'sql', 'exact', 'x', tenuto._uuid7(), tenuto.now())",
        [DEFAULT_ORG, versions[dataset]],
    )
    for column, name, field, *rest in columns:
        kind, subtype = rest or ("direct", None)
        db.execute(
            "insert into tenuto.column_lineage values (%s, %s, %s, %s, %s, %s, %s)",
            [DEFAULT_ORG, versions[dataset], column, ids[name], field, kind, subtype],
        )


def four_datasets(db: Db) -> None:
    """d0 and d1 feed d2 by columns, and d2 feeds d3, of which only the table is known."""
    document = a_chain(4, per_job=2)
    document["jobs"][1] = {**document["jobs"][0], "name": "j1", "outputs": [{"dataset": "d1"}]}
    document["jobs"][3]["inputs"] = [{"from": {"dataset": "d2"}}]
    deployed(db, document)
    record(db, "d2", ["d0", "d1"], [
        ("total", "d0", "amount", "direct", "aggregation"),
        ("total", "d1", "", "direct", None),
        ("day", "d0", "at", "direct", "identity"),
        ("", "d1", "region", "indirect", "filter"),
    ])  # fmt: skip
    record(db, "d3", ["d2"])


def lineage(db: Db, dataset: str, **options: Any) -> dict[str, Any]:
    return call(db, "get_lineage", org_id=DEFAULT_ORG, dataset=dataset, **{"every": True, **options})


def edges(graph: dict[str, Any]) -> set[tuple[str, str]]:
    """The edges of a graph, as dataset.column."""
    names = {node["id"]: node["dataset"] + (f".{node['column']}" if node["column"] else "") for node in graph["nodes"]}
    return {(names[edge["from"]], names[edge["to"]]) for edge in graph["edges"]}
