"""What is accepted is used: every key, option and field that a user can set is read by the code that does the work."""

import importlib
import inspect
import pkgutil
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, get_args

import pytest

import tenuto.server.routes
import tenuto.server.schemas
from tenuto.dag.document_fields import JobRuntimeName
from tenuto.dag.json_schema import json_schema
from tenuto.dag.operators import OPERATORS
from tenuto.operators.app import BUILT_IN, PYTHON, operators_in_dispatcher
from tenuto.sdk.option_types import Declared, RuntimeName, StartOptions
from tenuto.server.schemas.base import RequestModel
from tenuto.worker.execution.runtimes import RUNTIMES

ROOT = Path(__file__).parents[2]
SRC = ROOT / "src" / "tenuto"
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
MODULES = {"nvidia-ml-py": "pynvml", "opentelemetry-api": "opentelemetry"}  # of packages with another name
IMPORTS = r"""(import |from |import_module\("){}\b"""
CONFIGURED_BY_USERS = {"opentelemetry-sdk", "opentelemetry-exporter-otlp"}  # Tenuto itself uses only the API
PARSED = {"version", "defaults", "publish", "from"}  # keys of documents that are resolved while a document is read


@cache
def modules() -> dict[str, str]:
    return {str(path.relative_to(SRC)): path.read_text() for path in SRC.rglob("*.py")}


@cache
def functions() -> dict[str, str]:
    """The SQL functions and views by file, without comments."""
    files = [path for path in (SRC / "sql").rglob("*.sql") if path.parent.name not in ("tables", "migrations")]
    return {str(path.relative_to(SRC)): re.sub("--.*", "", path.read_text()) for path in files}


@cache
def taken_in_sql() -> set[str]:
    """The keys that SQL functions take from JSON objects: ->> 'a', #>> '{a,b}', columns of jsonb_to_recordset."""
    text = "\n".join(functions().values())
    paths = re.findall(r"(?:->>?|#>>?|@\?|\?)\s*'([\w{},$.]+)'", text) + re.findall(r"array\[([^\]]*)\]", text)
    columns = re.findall(r"\b(\w+) (?:text|int|bigint|jsonb|boolean|float8)\b", text)
    return {word for path in paths for word in re.findall(r"\w+", path)} | set(columns)


@cache
def taken_in_python(*left_out: str) -> set[str]:
    """The keys that modules take from mappings, and the attributes that they take from objects. `left_out`: files and
    folders."""
    text = "\n".join(text for name, text in modules().items() if not name.startswith(left_out))
    return set(re.findall(r'(?:\[|get\(|case |in )"(\w+)"', text)) | set(re.findall(r"\.(\w+)\b", text))


def pages() -> Iterator[tuple[str, str]]:
    for folder in ("docs", "examples"):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in (".md", ".yaml") and "adr" not in path.parts:
                yield str(path.relative_to(ROOT)), path.read_text()


def request_models() -> Iterator[type[RequestModel]]:
    for package in (tenuto.server.routes, tenuto.server.schemas):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    waiting: list[type[RequestModel]] = [RequestModel]
    while waiting:
        found = waiting.pop().__subclasses__()
        waiting += found
        yield from found


def test_every_key_of_a_document_is_taken_by_the_code_that_runs_jobs():
    schema: dict[str, Any] = json_schema()
    models = {**schema["$defs"], "the document": schema}
    found = {(name, key) for name, model in models.items() for key in model.get("properties", ())}
    taken = taken_in_sql() | taken_in_python("dag/", "server/schemas") | PARSED

    assert len(found) > 80
    assert {pair for pair in found if pair[1] not in taken} == set()
    assert not taken & {"backpressure_mode", "owners"}


def test_every_operator_is_run_and_reads_all_of_its_options():
    targets = BUILT_IN | {"python": PYTHON}
    assert {*targets, "sink"} == set(OPERATORS)  # a sink runs no tasks

    unread = [
        (name, field)
        for name, target in targets.items()
        if (config := OPERATORS[name].config) is not None
        for field in config.model_fields
        if f"config.{field}" not in inspect.getsource(importlib.import_module(target.partition(":")[0]))
    ]
    assert unread == []


def test_every_runtime_of_jobs_and_tasks_is_one_that_runs():
    runs = {
        "worker": {"thread", "process"} <= set(RUNTIMES),
        "sandbox": "sandbox" in RUNTIMES,
        "dispatcher": bool(operators_in_dispatcher()),
    }

    assert dict.fromkeys(get_args(JobRuntimeName), True) == runs
    assert set(get_args(RuntimeName)) - {"worker"} <= set(RUNTIMES)  # "worker" stands for the executor of the task


def test_documents_on_pages_and_in_examples_name_only_runtimes_that_run():
    named = {(page, word) for page, text in pages() for word in re.findall(r"^\s+runtime: (\w+)$", text, re.MULTILINE)}

    assert named
    assert {word for _, word in named} <= set(get_args(JobRuntimeName)), named


@pytest.mark.parametrize("options", [Declared, StartOptions])
def test_every_option_of_tasks_and_starts_is_read_after_it_was_checked(options: type):
    assert set(options.__annotations__) - taken_in_python("sdk/option_types.py", "model/", "cli/") == set()


def test_every_field_of_a_request_is_read_by_a_route_or_by_what_it_calls():
    parameters = set(re.findall(r"\bp_(\w+)", "\n".join(functions().values())))
    taken = taken_in_sql() | taken_in_python("server/schemas", "cli/") | parameters
    fields = {(model.__name__, field) for model in request_models() for field in model.model_fields}

    assert len(fields) > 100
    assert {pair for pair in fields if pair[1] not in taken} == set()


def test_every_parameter_of_a_sql_function_is_used():
    unused: list[str] = []
    for name, text in functions().items():
        head = re.search(r"create or replace function [\w.]+\s*\((.*?)\)\s*returns", text, re.DOTALL)
        declared = re.findall(r"\b(p_\w+) [a-z]", head[1]) if head else []
        unused += [f"{name}: {item}" for item in declared if head and not re.search(rf"\b{item}\b", text[head.end() :])]

    assert unused == []


def test_every_package_of_an_extra_is_imported():
    text = "\n".join(modules().values())
    listed = {re.split(r"[<>=]", item)[0] for items in EXTRAS.values() for item in items} - CONFIGURED_BY_USERS

    assert [name for name in listed if not re.search(IMPORTS.format(MODULES.get(name, name)), text)] == []


def test_every_extra_that_a_page_or_an_error_names_exists():
    texts = [*pages(), *modules().items(), ("README.md", (ROOT / "README.md").read_text())]
    named = {(page, name) for page, text in texts for name in re.findall(r"tenuto\[(\w+)\]", text)}

    assert {name for _, name in named} == set(EXTRAS), named
