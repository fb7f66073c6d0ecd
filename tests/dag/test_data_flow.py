"""Outputs that nothing would write, and inputs whose events would start nothing, are found before a deploy."""

from typing import Any

import pytest

from tests.dag.documents import COLLECT, a_document, messages, parsed, with_job

RANGES = {"partition": {"kind": "range", "column": "id", "size": 100}}
DAYS = {"partition": {"kind": "time", "column": "at", "every": "day"}}
AGGREGATOR = {"operator": "range_aggregator", "config": {"column": "id"}}
BY_RANGE = {"map": {"kind": "range", "size": 1000}}


def a_job(name: str, *inputs: Any, **changes: Any) -> dict[str, Any]:
    """A job of the operator sql that reads the datasets, each given by its name or as a whole input."""
    return {
        "name": name,
        "activation": "reactive",
        "operator": "sql",
        "execution_strategy": "PerPartition",
        "inputs": [{"from": {"dataset": item}} if isinstance(item, str) else item for item in inputs],
        "config": {"sql": "select 1"},
        "outputs": [{"dataset": name}],
        **changes,
    }


def reading(dataset: str, **changes: Any) -> dict[str, Any]:
    return {"from": {"dataset": dataset}, **changes}


def a_source(name: str, output: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {
        "name": name,
        "activation": "source",
        "source": {"kind": "manual"},
        "operator": "python",
        "config": {"task": "shop.extract"},
        "outputs": [{"dataset": name, **output}],
        **changes,
    }


HOOK = {"source": {"kind": "webhook", "webhook_path": "/a"}, "operator": "webhook", "config": {}}


def found(*jobs: dict[str, Any]) -> list[str]:
    return messages(a_document(jobs=list(jobs)))


@pytest.mark.parametrize(
    ("job", "changes", "problem"),
    [
        (
            "daily",
            {"outputs": 1},
            "jobs[1].outputs: output 0 has no dataset, so the operator sql cannot store its rows",
        ),
        ("daily", {"outputs": [{"name": "rows"}]}, "jobs[1].outputs[0]: output 0 has no dataset"),
        ("daily", {"outputs": 0}, "jobs[1].outputs: the operator sql needs exactly 1 output; the job has 0"),
        (
            "daily",
            {"outputs": [{"dataset": "a"}, {"dataset": "b"}]},
            "jobs[1].outputs: the operator sql needs exactly 1 output; the job has 2",
        ),
        (
            "extract",
            {"operator": "trigger_cron", "config": {}, "outputs": [{"name": "tick"}]},
            "output 0 has no dataset, so the operator trigger_cron cannot store its rows; write dataset: NAME",
        ),
        (
            "report",
            {"operator": "bundle", "config": None, "udf": {"bundle": "a" * 64, "task": "go"}},
            "output 0 has no dataset, so the operator bundle cannot store its rows",
        ),
        (
            "report",
            {"operator": "integrity_check", "config": {}, "outputs": 2},
            "the operator integrity_check needs at most 1 output; the job has 2",
        ),
        (
            "daily",
            {"operator": "parquet_compact", "config": {}, "inputs": [reading("orders_raw"), reading("x")]},
            "jobs[1]: the operator parquet_compact reads exactly one input; the job has 2",
        ),
        ("extract", {**HOOK, "source": {"kind": "manual"}}, "the operator webhook publishes what a webhook receives"),
        ("daily", {"secrets": ["token"]}, "jobs[1].secrets: the operator sql reads no secrets; remove it"),
    ],
)
def test_an_output_or_option_that_nothing_would_use_is_refused(job: str, changes: dict[str, Any], problem: str):
    texts = messages(with_job(job, **changes))

    assert any(problem in text for text in texts), texts


def test_code_may_emit_events_of_an_output_without_a_dataset_and_read_secrets():
    follow = a_source("follow", {}, outputs=[{"name": "clicks"}], secrets=["token"])
    report = a_job("report", {"from": {"job": "follow", "output": "clicks"}}, execution_strategy="PerUpdate")

    assert parsed(a_document(jobs=[follow, report])).job("report").inputs[0].job == "follow"
    check = a_job("check", "follow", operator="integrity_check", config={}, outputs=0)
    assert parsed(a_document(jobs=[a_source("follow", {}), check])).job("check").outputs == []


@pytest.mark.parametrize(
    ("output", "reader", "problem"),
    [
        (DAYS, BY_RANGE, "the keys of the input are days, and map: {kind: range} finds no partition for them"),
        (RANGES, {"map": {"kind": "time", "every": "day"}}, "the keys of the input are ranges, and map: {kind: time}"),
        (DAYS, {"map": {"kind": "time", "every": "hour"}}, "the keys of the input are days, and map: {kind: time}"),
    ],
)
def test_a_map_that_finds_no_partition_for_any_event_is_refused(output: Any, reader: Any, problem: str):
    (text,) = found(a_source("raw", output), a_job("wide", reading("raw", **reader)))

    assert text.startswith(f"jobs[1].inputs[0]: {problem}")


def test_keys_are_followed_through_jobs_that_declare_no_partition():
    days = [a_source("raw", DAYS), a_job("copy", "raw"), a_job("wide", reading("copy", **BY_RANGE))]
    hook = [a_source("hook", {}, **HOOK), a_job("wide", reading("hook", **BY_RANGE))]

    assert [text.partition(",")[0] for text in found(*days)] == ["jobs[2].inputs[0]: the keys of the input are days"]
    assert [text.partition(",")[0] for text in found(*hook)] == [
        "jobs[1].inputs[0]: the events of the input have no partition"
    ]


def test_a_range_aggregator_needs_ranges():
    (text,) = found(a_source("raw", DAYS), a_job("wide", "raw", **AGGREGATOR))
    assert text == (
        "jobs[1].inputs[0]: the keys of the input are days, and range_aggregator needs ranges; "
        "write map: {kind: range, size: 1000}"
    )


@pytest.mark.parametrize(
    ("output", "reader"),
    [
        (RANGES, BY_RANGE),
        (RANGES, {}),
        ({"partition": {"kind": "key", "column": "span"}}, BY_RANGE),  # its values may look like ranges
        ({}, BY_RANGE),  # the code may publish ranges
        (DAYS, {**BY_RANGE, "trigger": False}),
    ],
)
def test_keys_that_may_fit_are_accepted(output: Any, reader: Any):
    jobs = [a_source("raw", output), a_job("wide", reading("raw", **reader), **AGGREGATOR)]
    if "trigger" in reader:
        jobs[1] |= {"operator": "sql", "config": {"sql": "select 1"}}
        jobs[1]["inputs"].append(reading("other"))

    assert parsed(a_document(jobs=jobs))


@pytest.mark.parametrize("field", ["queue", "labels", "scaling", "timeout_seconds", "max_attempts"])
def test_a_sink_refuses_options_of_tasks(field: str):
    value = {"queue": "etl", "labels": ["gpu"], "scaling": {"max_concurrency": 1}}.get(field, 5)
    writer = a_source("north", {}, outputs=[{"append_to": "all_rows"}])

    assert found({**COLLECT, field: value}, writer) == [
        f"jobs[0].{field}: a sink runs no tasks, so nothing uses it; remove it"
    ]
