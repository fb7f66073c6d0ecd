"""Checking DAG documents: everything that is wrong is reported at once, and what is right is normalised."""

import json
from typing import Any

import pytest

from tenuto.dag.parse import parse_dag
from tests.dag.documents import a_document, messages, parsed, problems_of, with_job


def test_a_document_becomes_definitions_in_order():
    dag = parsed(a_document(jobs=list(reversed(a_document()["jobs"]))))

    assert [job.name for job in dag.jobs] == ["extract", "daily", "report"]
    assert [(job.max_attempts, job.runtime, job.update_strategy) for job in dag.jobs] == [
        (5, "worker", "append"),
        (5, "worker", "replace"),
        (5, "worker", "replace"),
    ]
    assert (dag.job("daily").inputs[0].job, dag.job("daily").inputs[0].output) == ("extract", 0)
    assert list(dag.datasets()) == ["orders_raw", "orders_daily"]


def test_short_forms_are_written_out():
    document = with_job("report", outputs=2)
    document["publish"] = {"reports": {"from": {"job": "report", "output": 1}}}
    dag = parsed(document)

    assert [output.dataset for output in dag.job("report").outputs] == [None, "reports"]
    assert parsed(with_job("extract", source={"kind": "always_on"})).job("extract").source == {"kind": "continuous"}
    source = {"kind": "cron", "schedule": "rate(1 day)"}
    assert (parsed(with_job("extract", source=source)).job("extract").source or {})["schedule"] == "@every 1d"


def test_a_bundle_runs_in_a_sandbox():
    job = parsed(
        with_job(
            "report",
            operator="udf",
            config=None,
            udf={"bundle": "sha256:" + "a" * 64, "task": "go"},
            outputs=[{"dataset": "reports"}],
        )
    ).job("report")

    assert (job.operator, job.runtime, job.udf) == ("bundle", "sandbox", {"bundle": "a" * 64, "task": "go"})


def test_defaults_do_not_turn_a_source_into_a_reactive_job():
    dag = parsed(a_document(defaults={"execution_strategy": "PerUpdate", "idle_timeout": "5m"}))

    assert (dag.job("extract").execution_strategy, dag.job("extract").idle_timeout) == (None, None)
    assert (dag.job("report").execution_strategy, dag.job("report").idle_timeout) == ("PerUpdate", "5m")


def test_all_problems_are_reported_at_once_in_the_order_of_the_document():
    text = """\
name: Orders
jbos: 1
jobs:
  - name: extract
    activation: manual
    operater: x
    operator: pyton
    outputs: 1
  - name: daily
    activation: reactive
    operator: sql
    execution_strategy: Bulk
    inputs: [{from: {job: extrct}}, {from: {job: b}}]
    config: {sql: "select 1"}
    update_strategy: append
    outputs: [{dataset: x}]
  - {name: b, activation: reactive, operator: sql, execution_strategy: PerUpdate, config: {sql: select 1},
     inputs: [{from: {dataset: x}}], outputs: [{dataset: x}]}
"""
    found = problems_of(text)

    assert [(problem.line, problem.path) for problem in found] == [
        (1, "name"),
        (2, "jbos"),
        (5, "jobs[0].activation"),
        (6, "jobs[0].operater"),
        (7, "jobs[0].operator"),
        (9, "jobs[1]"),
        (9, "jobs[1].inputs"),
        (12, "jobs[1].execution_strategy"),
        (13, "jobs[1].inputs[0].from"),
        (18, "jobs[2].outputs[0].dataset"),
    ]
    assert [problem.hint for problem in found if problem.hint and problem.hint.startswith("did")] == [
        "did you mean jobs?",
        "did you mean operator?",
        "did you mean python?",
        "did you mean extract?",
    ]


CYCLE = [{"from": {"job": "report"}}]
UDF = {"bundle": "a" * 64, "task": "go"}


@pytest.mark.parametrize(
    ("job", "changes", "problem"),
    [
        ("extract", {"inputs": CYCLE}, "jobs[0].inputs: a source has none: it does not read datasets; remove it"),
        ("extract", {"execution_strategy": "PerUpdate"}, "jobs[0].execution_strategy: a source has none"),
        ("extract", {"source": None}, "jobs[0]: source is missing; write when it starts"),
        ("extract", {"unique_key": None}, "jobs[0]: unique_key is missing; append needs the columns"),
        ("extract", {"unique_key": ["id"]}, "unique_key: outputs[0] has no column 'id'"),
        ("extract", {"source": {"kind": "cron", "schedule": "61 * * * *"}}, "schedule: cron '61 * * * *' cannot be"),
        ("extract", {"source": {"kind": "cron", "schedule": "@daily", "timezone": "X/Y"}}, "'X/Y' is not known"),
        ("extract", {"config": {}}, "jobs[0].config: the operator python needs task"),
        (
            "extract",
            {"config": {"task": "subprocess:getoutput"}},
            "config.task: is 'subprocess:getoutput'; write app.function, the name of a function that an app declares, "
            "such as shop.extract",
        ),
        (
            "extract",
            {"config": {"task": "a.b", "argument": {}}},
            "config.argument: unknown key; did you mean arguments?",
        ),
        (
            "extract",
            {"config": {"task": "a.b", "arguments": [1]}},
            "jobs[0].config.arguments: is a list, not a mapping",
        ),
        ("daily", {"config": None}, "jobs[1].config: the operator sql needs sql; runs the SELECT"),
        ("daily", {"config": {"sql": 1}}, "jobs[1].config.sql: is 1, not a text"),
        ("extract", {"secrets": ["k"], "runtime": "sandbox"}, "jobs[0].secrets: untrusted code gets no secrets"),
        ("extract", {"runtime": "dispatcher"}, "the operator python does not run in a dispatcher"),
        ("extract", {"udf": UDF}, "jobs[0].udf: only the operator bundle uses it"),
        ("extract", {"max_attempts": 0}, "jobs[0].max_attempts: is 0; write 1 or more"),
        ("extract", {"max_attempts": True}, "jobs[0].max_attempts: is true, not a whole number"),
        ("extract", {"retries": 3}, "retries: unknown key; write max_attempts, which includes the first attempt"),
        ("extract", {"read_roles": []}, "read_roles: the key is not part of a DAG"),
        ("extract", {"max_queue_depth": 5}, "max_queue_depth: the key is not a key of jobs; write it in scaling"),
        ("extract", {"outputs": -1}, "jobs[0].outputs: is -1; write 0 or more"),
        ("extract", {"outputs": "two"}, "jobs[0].outputs: is 'two', not a list"),
        ("extract", {"outputs": [{"storage": {"kind": "s4"}}]}, "outputs[0].storage.kind: is 's4'; write 'file'"),
        ("daily", {"source": {"kind": "manual"}}, "jobs[1].source: only jobs with activation: source have it"),
        ("daily", {"inputs": None}, "jobs[1]: inputs is missing"),
        ("daily", {"execution_strategy": None}, "jobs[1]: execution_strategy is missing; write PerUpdate or Per"),
        ("daily", {"execution_strategy": "Bulk"}, "a job never gets several updates as one task"),
        ("daily", {"unique_key": ["a"]}, "jobs[1].unique_key: only update_strategy: append uses it"),
        ("daily", {"idle_timeout": "soon"}, "jobs[1].idle_timeout: the duration is 'soon', not a duration"),
        ("daily", {"operator": "bundle", "config": {}}, "jobs[1]: udf is missing; write udf: {bundle: HASH, task:"),
        (
            "daily",
            {"operator": "bundle", "config": {}, "udf": UDF, "runtime": "worker"},
            "a bundle does not run in 'worker'",
        ),
        ("daily", {"inputs": CYCLE}, "jobs[1].inputs: the jobs form a cycle: daily -> report -> daily"),
        ("daily", {"inputs": [{"from": {"job": "daily"}}]}, "the jobs form a cycle: daily -> daily"),
        ("daily", {"inputs": [{"from": {"job": "extract", "output": 3}}]}, "extract has no output 3; the number of"),
        ("daily", {"inputs": [{"from": {"job": "extract", "output": "x"}}]}, "extract has no output x"),
        ("daily", {"inputs": [{"from": {}}]}, "inputs[0].from: job is missing; write {job: NAME} or {dataset: NAME}"),
        (
            "daily",
            {"inputs": [{"from": {"dataset": "x", "job": "y"}}]},
            "from.job: the key cannot be combined with the others",
        ),
        ("daily", {"inputs": [{"from": {"dataset": "x"}, "trigger": False}]}, "jobs[1].inputs: no input starts tasks"),
        ("daily", {"inputs": [{"from": {"dataset": "x"}, "where": {"a": {}}}]}, "where.a: a filter is a text"),
        ("daily", {"renamed_from": "report"}, "jobs[1].renamed_from: report is still a job"),
        ("report", {"name": "extract"}, "jobs[2].name: line 1 has a job of the same name"),
        ("daily", {"outputs": [{"name": "a"}, {"name": "a"}]}, "outputs[1].name: two outputs have this name"),
        ("daily", {"outputs": [{"dataset": "orders_raw"}]}, "orders_raw is already output 0 of extract (line 1)"),
        ("daily", {"outputs": [{"dataset": "Bad-Name"}]}, "write 1-128 of a-z, 0-9 and _, beginning with a letter"),
        ("daily", {"outputs": [{"checks": [{"kind": "uniqe", "columns": ["a"]}]}]}, "did you mean unique?"),
        ("daily", {"outputs": [{"columns": [{"name": "a", "type": "strng"}]}]}, "'strng' is not a column type"),
        ("daily", {"outputs": [{"storage": {"kind": "postgres"}}]}, "a dataset in Postgres needs its columns"),
        (
            "daily",
            {"outputs": [{"storage": {"kind": "postgres"}, "columns": [{"name": "ctid", "type": "text"}]}]},
            "outputs[0].columns[0]: Postgres has a column 'ctid' in every table",
        ),
        ("daily", {"outputs": [{"storage": {"kind": "file", "glob": "../x"}}]}, "'../x' is not a relative pattern"),
    ],
)
def test_a_wrong_job_is_explained(job: str, changes: dict[str, Any], problem: str):
    assert any(problem in message for message in messages(with_job(job, **changes)))


def test_triggers_of_several_inputs_go_together():
    both = [{"from": {"dataset": "x"}}, {"from": {"dataset": "y"}, "trigger": "all_same_partition"}]
    joined = [{**item, "trigger": "all_same_partition"} for item in both]

    assert any("all_same_partition cannot be combined" in text for text in messages(with_job("daily", inputs=both)))
    assert parsed(with_job("daily", inputs=joined)).job("daily").inputs[1].trigger == "all_same_partition"
    per_update = with_job("daily", inputs=joined, execution_strategy="PerUpdate")
    assert any("all_same_partition needs PerPartition" in text for text in messages(per_update))


@pytest.mark.parametrize(
    ("publish", "problem"),
    [
        ({"orders_daily": {"from": {"job": "report"}}}, "orders_daily is already output 0 of daily"),
        ({"other": {"from": {"job": "daily"}}}, "output 0 of daily is already published as orders_daily"),
        ({"other": {"from": {"job": "repot"}}}, "there is no job repot; did you mean report?"),
        ({"other": {"from": {"job": "report", "output": 7}}}, "report has no output 7"),
        ({"Bad": {"from": {"job": "report"}}}, "publish.Bad"),
        ({"other": {"from": {"job": "report"}, "schema": {}}}, "the key is reserved; write columns in the output"),
    ],
)
def test_a_wrong_publication_is_explained(publish: dict[str, Any], problem: str):
    assert any(problem in message for message in messages(a_document(publish=publish)))


@pytest.mark.parametrize(
    "document",
    ["[]", "1", "null", "{}", "{name: 1, jobs: 1}", "{name: a, jobs: [1, null, [], {}]}", "jobs: [{inputs: [{}]}]",
     "{name: a, jobs: [{name: 1, outputs: [1], inputs: {}, config: [], unique_key: 1, source: []}]}",
     "{name: a, publish: [], defaults: 1, jobs: []}", "{name: a, publish: {x: 1, y: {from: 2}}, jobs: [{}]}"],
)  # fmt: skip
def test_documents_of_any_shape_get_problems_not_crashes(document: str):
    assert problems_of(document)


def test_a_key_without_a_value_is_as_good_as_none():
    assert any("source is missing" in text for text in messages(json.dumps(with_job("extract")).replace(
        json.dumps({"kind": "cron", "schedule": "0 3 * * *"}), "null")))  # fmt: skip


def test_several_cycles_are_all_reported():
    jobs = [
        {"name": name, "activation": "reactive", "operator": "sql", "execution_strategy": "PerUpdate",
         "config": {"sql": "select 1"}, "inputs": [{"from": {"job": parent}}], "outputs": [{"dataset": name}]}
        for name, parent in [("a", "b"), ("b", "a"), ("c", "d"), ("d", "c"), ("e", "a")]
    ]  # fmt: skip

    assert [text.partition(": ")[2] for text in messages(a_document(jobs=jobs))] == [
        "the jobs form a cycle: a -> b -> a",
        "the jobs form a cycle: c -> d -> c",
    ]


def test_a_thousand_jobs_are_read_and_no_more():
    def chain(count: int) -> str:
        source = "activation: source, operator: trigger_cron, source: {kind: manual}"
        first = f"- {{name: j0, {source}, outputs: [{{dataset: d0}}]}}\n"
        others = (
            f"- {{name: j{no}, activation: reactive, operator: sql, execution_strategy: PerUpdate, "
            f"config: {{sql: from d{no - 1}}}, inputs: [{{from: {{job: j{no - 1}}}}}], "
            f"outputs: [{{dataset: d{no}}}]}}\n"
            for no in range(1, count)
        )
        return f"name: chain\njobs:\n{first}{''.join(others)}"

    assert len(parse_dag(chain(1000)).jobs) == 1000
    assert messages(chain(1001)) == ["jobs: has more than 1,000 items"]
