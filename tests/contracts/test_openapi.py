"""The OpenAPI document is made for generators of clients. tests/docs/test_clients_page.py runs two of them."""

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import pytest

from tenuto.model import statuses
from tenuto.server.http.openapi import describe
from tenuto.server.http.route_table import RouteSpec
from tenuto.server.http.routing import HttpRoute
from tenuto.server.routes import TABLES

SERVER = Path(__file__).parents[2] / "src" / "tenuto" / "server"
SPECS = [spec for table in TABLES for spec in table.specs]
STATUS_LIKE = re.compile(
    r"(^|_)(status|kind|outcome|state|result|reaction|action|activation|role|scope|handler|waits_for|catch_up|phase|"
    r"severity|end_reason|health_status|verb|part|code)$"
)
OPEN_LISTS = {
    ("AuditEntry", "action"),  # each kind of entity has its own actions, and people may write entries in SQL
}
# Headers that are no parameters of an operation.
OF_EVERY_REQUEST = {
    "accept": "it chooses among the media types of the response",
    "accept-encoding": "of HTTP itself",
    "authorization": "a security scheme",
    "content-encoding": "of HTTP itself",
    "content-length": "of HTTP itself",
    "content-type": "the media type of the body",
    "host": "of HTTP itself",
    "origin": "browsers send it",
    "sec-fetch-site": "browsers send it",
    "user-agent": "of HTTP itself",
}


@cache
def document() -> dict[str, Any]:
    return describe("Tenuto", "0", [HttpRoute(spec) for spec in SPECS])


def schemas() -> dict[str, Any]:
    return document()["components"]["schemas"]


def operations() -> Iterator[tuple[str, dict[str, Any]]]:
    for path, methods in document()["paths"].items():
        for method, operation in methods.items():
            yield f"{method.upper()} {path}", operation


def parts(part: Any) -> Iterator[dict[str, Any]]:
    """Every object of the document at any depth."""
    if isinstance(part, dict):
        yield part
    for inner in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
        yield from parts(inner)


def used_by(part: Any) -> set[str]:
    """The schemas to which it refers, directly or through others."""
    found: set[str] = set()
    todo = [part]
    while todo:
        for name in set(re.findall(r'"#/components/schemas/([^"]+)"', json.dumps(todo.pop()))) - found:
            found.add(name)
            todo.append(schemas()[name])
    return found


def response_fields() -> Iterator[tuple[str, str, dict[str, Any]]]:
    for name in used_by([operation["responses"] for _, operation in operations()]):
        for field, schema in schemas()[name].get("properties", {}).items():
            yield name, field, schema


def test_no_field_has_a_default_because_generators_then_require_it() -> None:
    assert [name for name, schema in schemas().items() if any("default" in part for part in parts(schema))] == []
    assert "Default: 100." in schemas()["RetryRunsRequest"]["properties"]["limit"]["description"]


def test_every_schema_has_a_name_of_its_own() -> None:
    titles = [schema["title"] for schema in schemas().values()]

    assert titles == list(schemas())
    assert [title for title in titles if not re.fullmatch(r"[A-Z][A-Za-z0-9]+", title)] == []
    assert len({title.lower() for title in titles}) == len(titles)


def test_every_reference_leads_somewhere() -> None:
    used = used_by(document()["paths"])

    assert used <= schemas().keys()


def test_a_schema_with_fields_is_no_union() -> None:
    """Generators make a type without a name of each member."""
    unions = ("anyOf", "oneOf", "allOf")

    assert [
        name
        for name, schema in schemas().items()
        if "properties" in schema and any(union in schema for union in unions)
    ] == []


def bodies() -> Iterator[tuple[str, dict[str, Any], str, dict[str, Any]]]:
    for name, operation in operations():
        for media_type, content in operation.get("requestBody", {}).get("content", {}).items():
            yield name, operation["requestBody"], media_type, content["schema"]


def test_an_optional_body_is_left_out_and_never_null() -> None:
    assert [name for name, _, _, schema in bodies() if {"type": "null"} in schema.get("anyOf", [])] == []
    optional = {name for name, body, _, _ in bodies() if not body.get("required")}
    assert {"POST /v1/runs/{run_id}/cancel", "POST /v1/dags/{name}/cutover"} < optional
    assert len(optional) == 12


def test_bodies_are_json_or_bytes() -> None:
    assert {media_type for _, _, media_type, _ in bodies()} == {"application/json", "application/octet-stream"}


def test_every_response_says_what_it_contains() -> None:
    empty = {"204", "303", "304"}
    silent = [
        (name, status)
        for name, operation in operations()
        for status, response in operation["responses"].items()
        if status not in empty and not name.startswith("HEAD") and not response.get("content")
    ]

    assert silent == []
    media_types = {
        kind
        for _, one in operations()
        for response in one["responses"].values()
        for kind in response.get("content", {})
    }
    assert {"text/csv", "text/event-stream", "application/vnd.apache.arrow.stream"} < media_types


def test_an_operation_has_one_result() -> None:
    """Except the stream of changes, which is also a list; and 202 instead of 204 for large runs."""
    several = {
        name
        for name, operation in operations()
        for status, response in operation["responses"].items()
        if status < "300" and len(response.get("content", {})) > 1
    }

    assert several == {"GET /v1/changes", "POST /v1/query/export", "POST /v1/task/query/export"}
    assert [name for name, one in operations() if "anyOf" in json.dumps(one["responses"])] == []


def test_words_of_responses_are_named_lists() -> None:
    inline = [
        (name, field) for name, field, schema in response_fields() if any("enum" in part for part in parts(schema))
    ]
    assert inline == []

    def is_text(schema: dict[str, Any]) -> bool:
        members = schema.get("anyOf", [schema])
        return any(member.get("type") == "string" and "const" not in member for member in members)

    plain = {
        (name, field) for name, field, schema in response_fields() if STATUS_LIKE.search(field) and is_text(schema)
    }
    assert plain == OPEN_LISTS


def test_each_list_of_words_has_one_name() -> None:
    lists = {name: get_args(words) for name, words in vars(statuses).items() if get_origin(words) is Literal}

    assert len({frozenset(words) for words in lists.values()}) == len(lists)
    assert lists.keys() - schemas().keys() == set()
    assert {name: set(schemas()[name]["enum"]) for name in lists} == {name: set(words) for name, words in lists.items()}


def test_ids_of_operations_are_verbs_with_nouns() -> None:
    ids = [operation["operationId"] for _, operation in operations()]

    assert len(set(ids)) == len(ids)
    assert [id for id in ids if not re.fullmatch(r"[a-z]+(_[a-z]+)*", id)] == []
    assert set(ids) == {spec.endpoint.__name__ for spec in SPECS}


def test_every_operation_names_its_credential_or_is_public() -> None:
    schemes = document()["components"]["securitySchemes"]
    named = {name: operation.get("security") for name, operation in operations()}

    for spec in SPECS:
        security = named[f"{spec.method} {spec.path}"]
        assert (security is None) == (spec.permission == "public"), spec.path
        assert security is None or {scheme for one in security for scheme in one} <= schemes.keys()


def test_pages_are_read_in_the_same_way_everywhere() -> None:
    pages = 0
    for name, operation in operations():
        schema = operation["responses"].get("200", {}).get("content", {}).get("application/json", {}).get("schema", {})
        if not schema.get("$ref", "").endswith("Page"):
            continue
        pages += 1
        parameters = {one["name"]: one for one in operation["parameters"] if one["in"] == "query"}
        limit = {key: parameters["limit"]["schema"][key] for key in ("type", "minimum", "maximum", "default")}
        assert limit == {"type": "integer", "minimum": 1, "maximum": 200, "default": 50}, name
        assert parameters.keys() & {"before", "after"}, name
        assert not any(parameter["required"] for parameter in parameters.values()), name
        fields = schemas()[schema["$ref"].rpartition("/")[2]]
        assert set(fields["required"]) == {"items", "next"}, name
    assert pages >= 40


def test_every_header_that_the_server_reads_is_described() -> None:
    read = {
        name.lower()
        for file in SERVER.rglob("*.py")
        for name in re.findall(r'(?:request|http|self|scope)\.headers\.get\("([\w-]+)"', file.read_text())
    }
    described = {
        parameter["name"].lower()
        for _, operation in operations()
        for parameter in operation.get("parameters", [])
        if parameter["in"] == "header"
    }

    assert read - described == set(OF_EVERY_REQUEST)


def is_repeatable(spec: RouteSpec) -> bool:
    return spec.method not in ("GET", "HEAD") and spec.permission not in ("public", "worker", "task")


def test_changes_take_an_idempotency_key_unless_they_cannot_be_stored() -> None:
    described = {
        name: any(parameter["name"] == "Idempotency-Key" for parameter in operation.get("parameters", []))
        for name, operation in operations()
    }

    for spec in SPECS:
        assert described[f"{spec.method} {spec.path}"] == spec.repeatable, spec.path
    without = {f"{spec.method} {spec.path}" for spec in SPECS if is_repeatable(spec) and not spec.repeatable}
    assert without == {
        "POST /v1/backfills/preview", "POST /v1/dags/{name}/graph", "POST /v1/dags/{name}/plan", "POST /v1/query",
        "POST /v1/query/export", "POST /v1/runs/wait",  # they change nothing
        "POST /v1/bundles", "POST /v1/objects", "PUT /v1/objects/{object_id}",  # bodies that are not kept in memory
        "POST /v1/destinations/{name}/rotate", "POST /v1/jobs/{dag}/{name}/webhook/rotate", "POST /v1/keys",
        "POST /v1/keys/{id}/rotate", "POST /v1/worker-keys", "POST /v1/worker-keys/{id}/rotate",
        "PUT /v1/destinations/{name}",  # responses with a secret
    }  # fmt: skip


@pytest.mark.parametrize("name", ["UpdateRequest", "HolderRequest"])
def test_rules_between_fields_are_still_described(name: str) -> None:
    assert {"not", "if", "then"} <= schemas()[name].keys()
