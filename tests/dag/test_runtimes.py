"""Runtimes of jobs: what is accepted is what runs, and the words of other systems are refused with what to write."""

import json
from typing import Any

import pytest

from tenuto.dag.json_schema import json_schema
from tenuto.dag.operators import OPERATORS
from tests.dag.documents import a_document, messages, parsed, with_job

UDF = {"operator": "bundle", "config": None, "udf": {"bundle": "a" * 64, "task": "go"}, "outputs": [{"dataset": "x"}]}
ON_ECS = "attempts are not started on ECS one by one yet; write worker, and start the workers with a pool whose"
OTHER = {
    "lambda": "tasks are not sent to AWS Lambda yet; write worker, or sandbox for a bundle",
    "ecs": f"{ON_ECS} provider is ecs",
    "ecs_platform": f"{ON_ECS} provider is ecs",
    "ecs_udf": "bundles are not started on ECS one by one yet; write sandbox",
    "ray": "tasks are not sent to Ray yet; write worker",
}


@pytest.mark.parametrize("word", OTHER)
@pytest.mark.parametrize("job", [{}, UDF], ids=["python", "bundle"])
def test_a_runtime_that_no_code_runs_is_refused_with_one_sentence(word: str, job: dict[str, Any]):
    assert messages(with_job("report", **job, runtime=word)) == [f"jobs[2].runtime: {OTHER[word]}"]
    assert messages(a_document(defaults={"runtime": word})) == [f"defaults.runtime: {OTHER[word]}"]


def test_an_unknown_runtime_gets_the_ones_that_run():
    assert messages(with_job("report", runtime="wroker")) == [
        "jobs[2].runtime: is 'wroker'; write 'worker', 'dispatcher' or 'sandbox'; did you mean worker?"
    ]
    assert messages(with_job("report", runtime=["worker"]))[0].startswith("jobs[2].runtime: is a list; write 'worker'")


def test_the_schema_and_its_descriptions_name_no_other_runtime():
    text = json.dumps(json_schema())

    assert [word for word in OTHER if f'"{word}"' in text or f" {word} " in text] == []


def test_only_bundles_run_in_sandboxes():
    assert messages(with_job("daily", runtime="sandbox")) == [
        "jobs[1].runtime: the operator sql does not run in a sandbox; only bundle does; write worker, or upload the "
        "code as a bundle"
    ]
    assert messages(with_job("report", **UDF, runtime="worker")) == [
        "jobs[2].runtime: a bundle does not run in 'worker'; write sandbox"
    ]
    defaults = {**with_job("report", **UDF), "defaults": {"runtime": "worker"}}
    assert [job.runtime for job in parsed(defaults).jobs] == ["worker", "worker", "sandbox"]


def test_a_dispatcher_runs_only_operators_without_code_of_users():
    inside = sorted(name for name, operator in OPERATORS.items() if operator.in_dispatcher)

    assert inside == ["range_aggregator", "sink", "trigger_cron", "webhook"]
    assert any("the operator sql does not run in a dispatcher" in text
               for text in messages(with_job("daily", runtime="dispatcher")))  # fmt: skip
