"""Jobs of several DAGs that would trigger each other without end: deploys, cutovers and rollbacks are refused, with the
whole loop in the error, and the plan says the same before."""

from typing import Any

import pytest
from psycopg.types.json import Jsonb

from tenuto.dag.plan import trigger_edges
from tenuto.model.errors import Conflict
from tests.dag.documents import COLLECT, parsed
from tests.support.database.builds import advance, compute, version
from tests.support.database.dags import cutover, deploy, rollback
from tests.support.database.jobs import deployed, publish, trigger
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call

END = "the jobs would trigger each other without end: "


def a_job(name: str, reads: str | dict[str, Any], *outputs: Any, **fields: Any) -> dict[str, Any]:
    """A job that runs for every update of a dataset, and publishes datasets."""
    return {
        "name": name,
        "activation": "reactive",
        "operator": "python",
        "config": {"task": "shop.run"},
        "execution_strategy": "PerUpdate",
        "inputs": [{"from": {"dataset": reads}} if isinstance(reads, str) else reads],
        "outputs": [{"dataset": output} if isinstance(output, str) else output for output in outputs],
        **fields,
    }


def a_source(*outputs: Any) -> dict[str, Any]:
    job = a_job("load", "", *outputs, activation="source", source={"kind": "manual"})
    return {key: value for key, value in job.items() if key not in ("inputs", "execution_strategy")}


def a_dag(name: str, *jobs: dict[str, Any]) -> dict[str, Any]:
    return {"version": 1, "name": name, "jobs": list(jobs)}


def a_chain(db: Db, length: int, first: str = "a0", prefix: str = "a") -> str:
    """DAGs that each read the dataset of the one before, from `first` on; returns the last dataset."""
    for number in range(1, length + 1):
        reads = first if number == 1 else f"{prefix}{number - 1}"
        deployed(db, a_dag(f"{prefix}dag{number}", a_job("run", reads, f"{prefix}{number}")))
    return f"{prefix}{length}" if length else first


def planned(db: Db, document: dict[str, Any]) -> str | None:
    dag = parsed(document)
    edges = Jsonb(trigger_edges(dag, {}))
    return call(db, "find_loop", org_id=DEFAULT_ORG, dag=dag.name, edges=edges)


def versions(db: Db, name: str) -> list[int]:
    return [row["version"] for row in call(db, "list_dag_versions", org_id=DEFAULT_ORG, name=name)]


@pytest.mark.parametrize("between", [1, 4])
def test_a_deploy_that_closes_a_loop_over_other_dags_is_refused_and_leaves_nothing(db: Db, between: int):
    deployed(db, a_dag("first", a_source("a0")))
    last = a_chain(db, between)
    closing = a_dag("first", a_source("other"), a_job("clean", last, "a0"))
    loop = f"{last} -> first.clean -> a0"
    for number in range(1, between + 1):
        loop += f" -> adag{number}.run -> a{number}"

    assert planned(db, closing) == loop
    with pytest.raises(Conflict) as refused:
        deploy(db, closing)

    assert refused.value.message == END + loop
    assert refused.value.hint == (
        "remove one of these inputs from its DAG, or write trigger: false, so that it is only read"
    )
    assert versions(db, "first") == [1]


def test_an_input_that_is_only_read_closes_no_loop(db: Db):
    deployed(db, a_dag("first", a_source("a0")))
    last = a_chain(db, 1)
    read = a_job("clean", "other", "a0")
    read["inputs"].append({"from": {"dataset": last}, "trigger": False})

    deployed(db, a_dag("first", a_source("other"), read), expected=1)


def test_dags_that_read_each_other_without_a_loop_are_fine(db: Db):
    deployed(db, a_dag("first", a_source("a0")))
    last = a_chain(db, 2)

    there_and_back = a_dag("first", a_source("a0"), a_job("report", last, "reports"))
    assert planned(db, there_and_back) is None
    deployed(db, there_and_back, expected=1)
    deployed(db, a_dag("mail", a_job("send", "reports", "sent")))
    with pytest.raises(Conflict, match=f"{END}sent -> first.report -> reports -> mail.send -> sent; "):
        deploy(db, a_dag("first", a_source("a0"), a_job("report", "sent", "reports")))


def test_a_loop_through_outputs_without_a_dataset_and_through_a_sink_is_found(db: Db):
    writer = a_job("write", {"from": {"job": "split"}}, {"append_to": "all_rows"})
    split = a_job("split", "outside", {"name": "part"})
    deployed(db, a_dag("first", a_source("outside")))
    second = a_dag("second", split, writer, COLLECT)
    deployed(db, second)
    closing = a_dag("first", a_source("raw"), a_job("back", "all_rows", "outside"))
    loop = "all_rows -> first.back -> outside -> second.split -> second.write -> all_rows"

    assert planned(db, closing) == loop
    with pytest.raises(Conflict, match=f"{END}{loop}; "):
        deploy(db, closing)


def test_the_edges_of_a_document_are_those_of_its_version(db: Db):
    deployed(db, a_dag("first", a_source("outside")))
    second = a_dag(
        "second",
        a_job("split", "outside", {"name": "part"}, "halves"),
        a_job("join", {"from": {"job": "split"}}, "whole"),
        a_job("look", {"from": {"dataset": "halves"}}, "seen"),
    )
    deploy(db, second)

    of_version = db.execute(
        "select e.source, e.target from tenuto.dag_versions v, tenuto._trigger_edges(v.org_id, v.id) e"
        " join tenuto.dags d on d.name = 'second' where v.dag_id = d.id"
    ).fetchall()
    assert sorted(of_version) == sorted(trigger_edges(parsed(second), {}))


def test_a_cutover_is_refused_when_a_dag_has_closed_the_loop_since_the_deploy(db: Db):
    deployed(db, a_dag("first", a_source("a0")))
    deploy(db, a_dag("second", a_source("raw"), a_job("run", "raw", "b0")))
    deploy(db, a_dag("second", a_job("run", "a0", "b0")))
    deploy(db, a_dag("first", a_job("run", "b0", "a0")))  # second is not current, so there is no loop yet
    cutover(db, 0, 2, name="second", force=True)

    for force in (False, True):
        with pytest.raises(Conflict, match=f"{END}b0 -> first.run -> a0 -> second.run -> b0"):
            cutover(db, 1, 2, name="first", force=force)
    assert [row["version"] for row in call(db, "list_dags", org_id=DEFAULT_ORG)] == [1, 2]


def test_a_version_that_was_to_become_current_stays_ready_and_says_why(db: Db):
    worker = a_worker(db)
    deployed(db, a_dag("first", a_source("a0")))
    deployed(db, a_dag("second", a_source("b0")))
    trigger(db, "load", dag="second")
    publish(worker, worker.claim_one())
    assert deploy(db, a_dag("first", a_job("run", "b0", "a0")), auto=True)["status"] == "building"
    deployed(db, a_dag("second", a_job("run", "a0", "b0"), a_source("c0")), expected=1)
    advance(db)
    compute(worker)
    advance(db)

    built = version(db, 2, "first")
    assert built["status"] == "ready"
    assert built["error"] == f"ready, but not made current: {END}b0 -> first.run -> a0 -> second.run -> b0"


def test_a_rollback_that_closes_a_loop_is_refused_until_the_other_dag_is_changed(db: Db):
    deployed(db, a_dag("second", a_source("b0")))
    deployed(db, a_dag("first", a_job("run", "b0", "a0")))
    deployed(db, a_dag("first", a_source("a0")), expected=1)
    deployed(db, a_dag("second", a_job("run", "a0", "b0")), expected=1)

    with pytest.raises(Conflict, match=f"{END}b0 -> first.run -> a0 -> second.run -> b0"):
        rollback(db, 2, name="first")
    rollback(db, 2, name="second")
    assert rollback(db, 2, name="first")["version"] == 1


def test_a_renamed_dataset_is_still_in_the_loop(db: Db):
    deployed(db, a_dag("first", a_source("a0")))
    last = a_chain(db, 1)
    renamed = a_dag("first", a_job("clean", last, {"dataset": "a_new", "renamed_from": "a0"}))

    with pytest.raises(Conflict, match=f"{END}a1 -> first.clean -> a0 -> adag1.run -> a1"):
        deploy(db, renamed)


def test_a_deleted_dag_closes_no_loop(db: Db):
    deployed(db, a_dag("first", a_source("a0")))
    deployed(db, a_dag("second", a_job("run", "a0", "b0")))
    deployed(db, a_dag("third", a_source("c0")))
    deployed(db, a_dag("second", a_job("run", "a0", "b0"), a_source("d0")), expected=1)
    call(db, "delete_dag", org_id=DEFAULT_ORG, name="second", actor="ann", force=True)
    deployed(db, a_dag("second", a_source("b0")))

    deployed(db, a_dag("first", a_job("run", "b0", "a0")), expected=1)


def test_a_loop_from_before_the_check_stops_no_other_dag(db: Db):
    """Databases of earlier versions can have one. Versions that keep it are refused until one of its DAGs breaks it."""
    looping = a_dag("first", a_job("run", "b0", "a0"))
    deployed(db, a_dag("first", a_source("a0")))
    deploy(db, a_dag("second", a_job("run", "a0", "b0")))
    deploy(db, looping)
    cutover(db, 0, 1, name="second", force=True)
    db.execute(
        "select tenuto._move_pointer(v.org_id, v.dag_id, 1, v.id, true), "
        "tenuto._point_datasets(v.org_id, v.dag_id, v.id)"
        " from tenuto.dag_versions v join tenuto.dags d on d.id = v.dag_id where d.name = 'first' and v.version = 2"
    )

    deployed(db, a_dag("third", a_job("run", "b0", "c0"), a_job("next", "c0", "d0")))
    deployed(db, a_dag("fourth", a_job("run", "d0", "e0")))
    with pytest.raises(Conflict, match=END):
        deploy(db, looping | {"description": "the same"})
    deployed(db, a_dag("first", a_source("a0"), a_source("z0") | {"name": "more"}), expected=2)
    deploy(db, a_dag("second", a_job("run", "a0", "b0")) | {"description": "the same"})


@pytest.mark.parametrize(
    ("edges", "left"),
    [
        (["ab", "bc", "ac", "cd"], ""),
        (["aa"], "a"),
        (["ab", "bc", "cb", "cd", "xd", "de"], "bcde"),
        (["ab", "ba", "bc", "cd", "de", "ed", "xy"], "abcde"),
        (["ab", "ab", "ba"], "ab"),
    ],
)
def test_what_is_in_a_loop_or_follows_from_one_is_left_of_a_graph(db: Db, edges: list[str], left: str):
    sources, targets = [edge[0] for edge in edges], [edge[1] for edge in edges]

    rows = db.execute("select tenuto._follow_loops(%s, %s)", [sources, targets]).fetchall()

    assert "".join(sorted(name for (name,) in rows)) == left
