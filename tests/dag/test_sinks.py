"""Sinks in DAG documents: what goes together, and which jobs are computed again with which."""

from copy import deepcopy
from typing import Any

import pytest

from tenuto.dag.diff import diff_dags
from tests.dag.documents import messages, parsed
from tests.support.database.sinks import SENSORS


def with_fields(job: str, **changes: Any) -> dict[str, Any]:
    """The document with other fields in one job; a field that is None is removed."""
    document = deepcopy(SENSORS)
    fields = next(entry for entry in document["jobs"] if entry["name"] == job)
    fields.update(changes)
    for name in [name for name, value in fields.items() if value is None]:
        del fields[name]
    return document


TABLE = SENSORS["jobs"][0]["outputs"][0]


@pytest.mark.parametrize(
    ("job", "changes", "problem"),
    [
        ("readings", {"source": {"kind": "manual"}}, "a sink runs no tasks, so nothing starts it"),
        ("readings", {"update_strategy": None, "unique_key": None}, "a sink appends"),
        ("readings", {"outputs": [TABLE, {"dataset": "more"}]}, "a sink has one output"),
        ("readings", {"outputs": [{**TABLE, "storage": {"kind": "file"}}]}, "which is stored in Postgres"),
        ("readings", {"outputs": [{**TABLE, "partition": {"kind": "key", "column": "id"}}]}, "without partitions"),
        ("north", {"source": {"kind": "buffer"}}, "only the operator sink has the source buffer"),
        ("north", {"outputs": [{"append_to": "reading"}]}, "did you mean readings?"),
        ("north", {"outputs": [{"append_to": "reports"}]}, "no sink of this DAG publishes 'reports'"),
        ("north", {"outputs": [{"append_to": "readings"}] * 2}, "two outputs append to 'readings'"),
        ("north", {"outputs": [{"append_to": "readings", "dataset": "x"}]}, "the sink of readings has it"),
        ("report", {"inputs": [{"from": {"job": "north"}}]}, "output 0 of north appends to a sink"),
        ("report", {"outputs": [{"append_to": "readings"}]}, "the jobs form a cycle: readings -> report -> readings"),
    ],
)
def test_a_wrong_sink_is_explained(job: str, changes: dict[str, Any], problem: str):
    assert any(problem in message for message in messages(with_fields(job, **changes))), messages(
        with_fields(job, **changes)
    )


def test_an_output_that_appends_is_not_published():
    document = {**SENSORS, "publish": {"other": {"from": {"job": "north"}}}}

    assert any("appends to a sink, which publishes the rows" in message for message in messages(document))


def test_a_sink_and_its_writers_are_computed_again_together():
    before = parsed(SENSORS)
    for job in ("north", "readings"):
        changes = {"config": {"task": "shop.new"}} if job == "north" else {"unique_key": ["id", "note"]}
        diff = diff_dags(before, parsed(with_fields(job, **changes)))

        assert set(diff.rebuilt) == {"readings", "north", "south", "report"}
        south = next(change for change in diff.jobs if change.job == "south")
        assert (south.fields, south.because_of) == ([], ["north", "readings"])


def test_a_change_passes_through_one_sink_to_the_next():
    document = deepcopy(SENSORS)
    sink, _, _, report = document["jobs"]
    second = {**deepcopy(sink), "name": "totals", "outputs": [{**sink["outputs"][0], "dataset": "totals"}]}
    late = {
        **report,
        "name": "late",
        "inputs": [{"from": {"dataset": "reports"}}],
        "outputs": [{"append_to": "totals"}],
    }
    other = {**document["jobs"][1], "name": "other", "outputs": [{"append_to": "totals"}]}
    document["jobs"] += [second, late, other]
    changed = deepcopy(document)
    changed["jobs"][1]["config"] = {"task": "shop.new"}

    assert "other" in diff_dags(parsed(document), parsed(changed)).rebuilt


def test_the_name_of_a_sink_is_no_part_of_the_data():
    renamed = deepcopy(SENSORS)
    sink, north, south, report = renamed["jobs"]
    sink |= {"name": "all_readings", "renamed_from": "readings"}
    sink["outputs"][0] |= {"dataset": "all_readings", "renamed_from": "readings"}
    north["outputs"] = south["outputs"] = [{"append_to": "all_readings"}]
    report["inputs"] = [{"from": {"dataset": "all_readings"}}]

    assert diff_dags(parsed(SENSORS), parsed(renamed)).rebuilt == []
