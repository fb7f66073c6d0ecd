"""What OpenLineage events say about failures, renamed datasets and sources, without a database."""

from collections.abc import Callable
from typing import Any

import pytest

from tenuto.lineage import openlineage
from tests.support.openlineage import check_event

build_event: Any = openlineage.build_event  # events are read as plain JSON here
ATTEMPT: dict[str, Any] = {
    "task_id": "01890000-0000-7000-8000-000000000001",
    "attempt": 2,
    "dag": "sales",
    "job": "daily",
}
AT = "2026-01-01T00:00:00+00:00"


def test_a_failure_has_its_message_and_traceback():
    facts = {"error": {"type": "ValueError", "message": "no", "traceback": "x" * 20_000 + "end"}}
    event = build_event(ATTEMPT, {"type": "FAIL", "at": AT}, "tenuto://acme", facts)

    check_event(event)
    error = event["run"]["facets"]["errorMessage"]
    assert (error["message"], error["stackTrace"][-3:], len(error["stackTrace"])) == ("ValueError: no", "end", 10_000)


def test_a_schedule_its_cause_and_a_continuous_source_are_named():
    upstream = {**ATTEMPT, "job": "extract", "attempt": 1}
    facts = {"source": {"fire_time": "2026-01-01T03:00:00Z"}, "upstream": upstream, "source_kind": "continuous"}
    event = build_event(ATTEMPT, {"type": "RUNNING", "at": AT}, "tenuto://acme", facts)

    check_event(event)
    assert event["run"]["facets"]["nominalTime"]["nominalStartTime"] == "2026-01-01T03:00:00Z"
    (cause,) = event["run"]["facets"]["jobDependencies"]["upstream"]
    assert cause["job"]["name"] == "sales.extract"
    assert cause["run"]["runId"] != event["run"]["runId"]
    kind = event["job"]["facets"]["jobType"]
    assert (kind["processingType"], kind["emissionPattern"]["windowDuration"]) == ("STREAMING", 60)


def test_a_renamed_dataset_names_what_it_was():
    change = {"type": "RENAME", "at": AT, "name": "orders", "old_name": "sales", "version_id": "v"}
    event = build_event({"dataset_id": "d"}, change, "tenuto://acme", {"version_id": "v"})

    check_event(event)
    facets = event["dataset"]["facets"]
    assert facets["lifecycleStateChange"]["previousIdentifier"] == {"namespace": "tenuto://acme", "name": "sales"}


def test_a_column_whose_source_is_not_known_is_left_out():
    sources = [
        {"column": "total", "dataset": "raw", "field": None, "kind": "direct", "subtype": None},
        {"column": "day", "dataset": "raw", "field": "at", "kind": "direct", "subtype": None},
    ]
    output = {"dataset": "per_day", "partitions": ["x"], "rows": None, "folders": 1, "sources": sources}
    event = build_event(ATTEMPT, {"type": "COMPLETE", "at": AT}, "tenuto://acme", {"outputs": [output]})

    check_event(event)
    assert list(event["outputs"][0]["facets"]["columnLineage"]["fields"]) == ["day"]


def test_a_run_has_its_parent_its_root_and_the_results_of_its_checks():
    results = [
        {"name": "unique", "severity": "warn", "passed": False, "message": "2 rows" * 1000},
        {"name": None, "severity": None, "passed": True, "message": None},
    ]
    output = {"dataset": "per_day", "partitions": ["x"], "rows": 1, "folders": 1, "results": results}
    facts = {"run_id": ATTEMPT["task_id"], "outputs": [output], "deployed_by": "ann", "version": 3, "operator": "sql"}
    event = build_event(ATTEMPT, {"type": "COMPLETE", "at": AT}, "tenuto://acme", facts)

    check_event(event)
    parent = event["run"]["facets"]["parent"]
    assert parent["root"] == {"run": parent["run"], "job": parent["job"]}
    first, second = event["run"]["facets"]["test"]["tests"]
    assert (first["name"], first["status"], first["severity"]) == ("per_day: unique", "fail", "warn")
    assert len(first["actual"]) == 1000
    assert (second["name"], second["status"], second["severity"]) == ("per_day: check", "pass", "error")
    assert event["job"]["facets"]["ownership"]["owners"] == [{"name": "ann", "type": "DEPLOYER"}]
    tags = {tag["key"]: tag["value"] for tag in event["job"]["facets"]["tags"]["tags"]}
    assert tags == {"dag_version": "3", "operator": "sql"}


def test_a_run_with_several_outputs_says_which_inputs_each_is_computed_from():
    source = {"column": "day", "dataset": "raw", "field": "at", "kind": "direct", "subtype": None}
    known = {"dataset": "per_day", "partitions": ["x"], "folders": 1, "sources": [source, {**source, "column": "at"}]}
    unknown = {"dataset": "notes", "partitions": ["x"], "folders": 1}
    untouched = {"dataset": "rare"}
    facts = {"inputs": [{"dataset": "rates"}, {"dataset": "raw"}], "outputs": [known, unknown, untouched]}
    start, end = (
        build_event(ATTEMPT, {"type": kind, "at": AT}, "tenuto://acme", facts) for kind in ("START", "COMPLETE")
    )
    one = build_event(ATTEMPT, {"type": "COMPLETE", "at": AT}, "tenuto://acme", {**facts, "outputs": [known]})

    check_event(end)
    entries = end["job"]["facets"]["lineage"]["entries"]
    assert {entry["name"]: [item["name"] for item in entry["inputs"]] for entry in entries} == {
        "per_day": ["raw"], "notes": ["rates", "raw"],
    }  # fmt: skip
    assert all("lineage" not in event["job"]["facets"] for event in (start, one))


def test_tags_name_the_dedupe_key_and_where_the_code_is():
    facts = {
        "dedupe_key": "nightly",
        "operator": "python",
        "config": {"task": "shop.extract"},
        "code_version": "7",
    }
    event = build_event(ATTEMPT, {"type": "START", "at": AT}, "tenuto://acme", facts)
    bundled = build_event(ATTEMPT, {"type": "START", "at": AT}, "tenuto://acme", {"operator": "bundle", "bundle": "ab"})

    check_event(event)
    run, job = (
        {tag["key"]: tag["value"] for tag in part["facets"]["tags"]["tags"]} for part in (event["run"], event["job"])
    )
    assert run["dedupe_key"] == "nightly"
    assert job == {"operator": "python", "code": "shop.extract", "code_version": "7"}
    assert {"key": "code", "value": "ab", "source": "TENUTO"} in bundled["job"]["facets"]["tags"]["tags"]


@pytest.mark.parametrize(
    "change",
    [
        lambda event: event["run"].update(runId="one"),
        lambda event: event.update(eventType="ENDED"),
        lambda event: event.update(eventTime="yesterday"),
        lambda event: event["job"].pop("namespace"),
        lambda event: event["job"].update(version=1),
        lambda event: event["run"]["facets"]["tags"].pop("tags") and event["run"]["facets"]["tags"].update(tags=1),
        lambda event: event["run"]["facets"]["tags"]["tags"][0].pop("value"),
        lambda event: event["job"]["facets"]["jobType"].update(jobType=1),
        lambda event: event["job"]["facets"]["jobType"].update(_schemaURL="https://openlineage.io/spec/facets/none"),
    ],
)
def test_an_event_that_differs_from_the_specification_is_found(change: Callable[[Any], object]):
    event = build_event(ATTEMPT, {"type": "START", "at": AT}, "tenuto://acme", {"version": 1})
    check_event(event)
    change(event)

    with pytest.raises((AssertionError, KeyError, TypeError, ValueError)):
        check_event(event)
