"""What OpenLineage events say about failures, renamed datasets and sources, without a database."""

from typing import Any

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
    assert event["job"]["facets"]["jobType"]["processingType"] == "STREAMING"


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
