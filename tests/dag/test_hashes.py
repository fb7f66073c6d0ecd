"""Hashes: the same document has one hash however it is written, and only what affects data changes a config_hash."""

import json
import random
from dataclasses import fields
from typing import Any

import pytest
import yaml

from tenuto.dag import hashes
from tenuto.dag.definitions import Job, JobOutput
from tenuto.dag.diff import diff_dags
from tenuto.dag.hashes import yaml_hash
from tenuto.dag.yaml_tree import YamlNode, read_tree
from tests.dag.documents import a_document, parsed, with_job


def shuffled(value: Any, dice: random.Random) -> Any:
    """The same value with the keys of all mappings in another order."""
    if isinstance(value, dict):
        names = list(value)
        dice.shuffle(names)
        return {name: shuffled(value[name], dice) for name in names}
    return [shuffled(item, dice) for item in value] if isinstance(value, list) else value


def reordered(node: YamlNode, dice: random.Random) -> YamlNode:
    """The same tree as if its keys had been written in another order."""
    if isinstance(node.value, dict):
        names = list(node.value)
        dice.shuffle(names)
        return YamlNode({name: reordered(node.value[name], dice) for name in names}, node.at, node.key)
    if isinstance(node.value, list):
        return YamlNode([reordered(item, dice) for item in node.value], node.at, node.key)
    return node


def test_ten_thousand_orders_of_keys_give_one_hash():
    dice = random.Random(14)  # noqa: S311 - a test repeats its shuffles
    tree = read_tree(json.dumps(a_document(jobs=a_document()["jobs"][:1])))

    assert {yaml_hash(reordered(tree, dice)) for _ in range(10_000)} == {yaml_hash(tree)}


def test_the_same_document_written_differently_gives_one_hash():
    dice = random.Random(14)  # noqa: S311 - a test repeats its shuffles
    document = a_document()
    texts = [json.dumps(document), json.dumps(document, indent=4)]
    for flow in (None, False, True):
        text = yaml.safe_dump(shuffled(document, dice), default_flow_style=flow, sort_keys=False, width=10**6)
        texts += [text, "# comment\n" + text.replace("\n", "  # comment\n"), text.replace("\n", "\r\n") + "\n\n"]
    texts.append(json.dumps({**document, "jobs": document["jobs"][::-1]}))

    assert len({parsed_hashes(text) for text in texts}) == 1


def parsed_hashes(text: str) -> tuple[str, ...]:
    from tenuto.dag.parse import parse_dag

    dag = parse_dag(text)
    return (dag.yaml_hash, *sorted(job.config_hash + job.metadata_hash for job in dag.jobs))


def changed_jobs(document: dict[str, Any]) -> tuple[list[str], list[str]]:
    """The jobs whose config_hash and whose metadata_hash differ from those of the unchanged document."""
    before, after = parsed(a_document()), parsed(document)
    pairs = [(job, next(old for old in before.jobs if old.name == job.name)) for job in after.jobs]
    return (
        [job.name for job, old in pairs if job.config_hash != old.config_hash],
        [job.name for job, old in pairs if job.metadata_hash != old.metadata_hash],
    )


OUTPUT = {"dataset": "orders_daily"}
ALL = ["extract", "daily", "report"]


@pytest.mark.parametrize(
    ("job", "changes", "data", "metadata"),
    [
        ("extract", {"config": {"task": "shop.extract2"}}, ALL, []),
        ("extract", {"operator": "python@2"}, ALL, []),
        ("extract", {"update_strategy": "replace", "unique_key": None}, ALL, []),
        ("extract", {"source": {"kind": "manual"}}, [], ["extract"]),
        ("extract", {"secrets": ["token"]}, [], ["extract"]),
        ("daily", {"config": {"sql": "select 2"}}, ["daily", "report"], []),
        ("daily", {"execution_strategy": "PerUpdate"}, ["daily", "report"], []),
        ("daily", {"inputs": [{"from": {"dataset": "orders_raw"}}]}, ["daily", "report"], []),
        ("daily", {"outputs": [{**OUTPUT, "partition": {"kind": "key", "column": "a"}}]}, ["daily", "report"], []),
        ("daily", {"outputs": [{**OUTPUT, "storage": {"kind": "file", "glob": "*"}}]}, ["daily", "report"], []),
        ("daily", {"outputs": [{**OUTPUT, "storage": {"kind": "file"}}]}, [], []),
        ("daily", {"outputs": [{**OUTPUT, "retention": {"keep_versions": 3}}]}, [], ["daily"]),
        ("daily", {"outputs": [{**OUTPUT, "checks": [{"kind": "row_count", "min": 1}]}]}, [], ["daily"]),
        ("daily", {"outputs": [{"dataset": "other"}]}, [], []),
        ("report", {"runtime": "worker"}, [], []),
        ("report", {"timeout_seconds": 60}, [], ["report"]),
        ("report", {"scaling": {"max_concurrency": 2}}, [], ["report"]),
        ("report", {"scaling": {"max_queue_depth": 9, "max_queue_age": "10m"}}, [], ["report"]),
        ("report", {"max_attempts": 7}, [], ["report"]),
        ("report", {"idle_timeout": "5m"}, [], ["report"]),
        ("report", {"description": "x"}, [], ["report"]),
    ],
)
def test_only_what_affects_data_changes_a_config_hash(job: str, changes: Any, data: list[str], metadata: list[str]):
    assert changed_jobs(with_job(job, **changes)) == (data, metadata)


def test_names_are_no_part_of_a_config_hash():
    document = with_job("extract", name="fetch", renamed_from="extract")
    document["jobs"][0]["outputs"][0]["dataset"] = "raw"
    document["jobs"][1]["inputs"][0]["from"] = {"dataset": "raw"}

    assert [job.config_hash for job in parsed(document).jobs] == [job.config_hash for job in parsed(a_document()).jobs]


def test_every_field_is_data_metadata_or_identity():
    names = [field.name for field in fields(Job)]
    output_names = [field.name for field in fields(JobOutput)]

    assert sorted(names) == sorted([*hashes.DATA, *hashes.METADATA, *hashes.IDENTITY])
    assert sorted(output_names) == sorted([*hashes.OUTPUT_DATA, *hashes.OUTPUT_METADATA, *hashes.OUTPUT_IDENTITY])


def test_hashes_stay_the_same_across_releases():
    """Another value here rebuilds every dataset of every user: raise HASH_VERSION only for a reason."""
    dag = parsed(a_document())

    assert hashes.HASH_VERSION == 1
    assert [dag.yaml_hash[:12], *(job.config_hash[:12] for job in dag.jobs)] == [
        "e2c9b59cf836",
        "77c3fb0ad46f",
        "33bfbecb2dc2",
        "ec599d55c794",
    ]


def test_a_job_that_resets_its_outputs_begins_without_data_in_every_version():
    reset = {"bootstrap": {"reset_outputs": True}}
    first = parsed(with_job("extract", **reset))
    again = parsed(with_job("extract", **reset))
    described = parsed(with_job("extract", **reset) | {"description": "other"})
    kept = [parsed(with_job("extract", bootstrap={"reset_outputs": False}, description=text)) for text in ("a", "b")]

    assert first.job("extract").config_hash == again.job("extract").config_hash
    assert first.job("extract").config_hash != described.job("extract").config_hash
    assert first.job("daily").config_hash != described.job("daily").config_hash
    assert kept[0].job("extract").config_hash == kept[1].job("extract").config_hash
    assert kept[0].job("extract").config_hash == parsed(a_document()).job("extract").config_hash
    assert diff_dags(first, described).jobs[0].fields == ["bootstrap"]
