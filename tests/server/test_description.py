"""The description of the API is what it does: kinds of bodies, methods, numbers."""

import gzip
from collections.abc import Iterator
from typing import Annotated, Any

import pytest
from pydantic import TypeAdapter, ValidationError
from starlette.testclient import TestClient

from tenuto.server.app import create_app
from tenuto.server.schemas.base import RequestModel
from tenuto.server.settings import ServerSettings

START = {"type": "a.b", "input": {"x": 1}}


def test_who_looks_what_answers_here_is_told_where_it_is_described(api: TestClient) -> None:
    said = api.get("/").json()

    assert said["name"] == "Tenuto"
    info = api.get(said["description"]).json()["info"]
    assert (info["title"], info["version"]) == (said["name"], said["version"])
    assert "<rapi-doc" in api.get(said["docs"]).text


def test_every_refusal_is_described_as_a_problem(api: TestClient) -> None:
    described = api.get("/openapi.json").json()

    for path, methods in described["paths"].items():
        for method, one in methods.items():
            for status, response in one["responses"].items():
                kinds = set(response.get("content", {}))
                assert status < "400" or kinds == {"application/problem+json"}, (method, path, status)
    assert "HTTPValidationError" not in described["components"]["schemas"]


# Responses that hand a secret to its owner, and the hash of an audit entry, which is public.
SECRETS_SHOWN = {
    ("DestinationSecretResponse", "secret"),
    ("WebhookResponse", "secret"),
    ("OpenSessionResponse", "token"),
    ("ClaimedTask", "token"),
    ("TokenResponse", "token"),
    ("MeResponse", "csrf_token"),
    ("SignedHeadResponse", "hash"),
    ("ApiKeyInfo", "pepper_version"),  # a number
    ("WorkerKeyInfo", "pepper_version"),
}
HASHES_OF_DOCUMENTS = ("yaml_hash", "config_hash", "metadata_hash", "schema_hash")
SECRET_WORDS = ("token", "hash", "secret", "pepper", "private", "bcrypt", "lease_token", "locked_by")


def test_no_response_has_a_field_for_a_secret_unless_it_is_listed_here(api: TestClient) -> None:
    described = api.get("/openapi.json").json()
    names: set[str] = set()
    stack = [
        response.get("content", {})
        for methods in described["paths"].values()
        for operation in methods.values()
        for status, response in operation["responses"].items()
        if status < "400"
    ]
    while stack:
        part = stack.pop()
        if isinstance(part, dict):
            name = str(part.get("$ref", "")).rpartition("/")[2]
            if name and name not in names:
                names.add(name)
                stack.append(described["components"]["schemas"][name])
            stack.extend(value for key, value in part.items() if key != "$ref")
        elif isinstance(part, list):
            stack.extend(part)

    fields = {
        (name, field) for name in names for field in described["components"]["schemas"][name].get("properties", ())
    }
    shown = {(name, field) for name, field in fields if any(word in field for word in SECRET_WORDS)}
    shown = {(name, field) for name, field in shown if field not in HASHES_OF_DOCUMENTS}
    assert shown == SECRETS_SHOWN


def test_a_method_that_a_path_has_not_is_refused_with_those_it_has(settings: ServerSettings, api: TestClient) -> None:
    paths: dict[str, set[str]] = {}
    for route in create_app(settings).router.routes:
        paths.setdefault(route.path, set()).add(route.method)

    for path, methods in paths.items():
        for method in {"GET", "PUT", "POST", "PATCH", "DELETE", "OPTIONS", "TRACE"} - methods:
            refused = api.request(method, path.replace("{", "").replace("}", ""))
            assert (refused.status_code, refused.json()["code"]) == (405, "method_not_allowed"), (method, path)
            assert set(refused.headers["allow"].split(", ")) == methods, (method, path)


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "application/jsonx", ""])
def test_a_body_that_does_not_say_it_is_json_is_refused(admin: TestClient, kind: str) -> None:
    refused = admin.post("/v1/runs", content=b'{"type": "a.b"}', headers={"Content-Type": kind})

    assert (refused.status_code, refused.json()["code"]) == (415, "unsupported_media_type")
    assert "application/json" in refused.json()["detail"]


@pytest.mark.parametrize("kind", ["application/json; charset=utf-8", "APPLICATION/JSON", "application/vnd.x+json"])
def test_json_may_say_more_of_itself(admin: TestClient, kind: str) -> None:
    assert admin.post("/v1/runs", content=b'{"type": "a.b"}', headers={"Content-Type": kind}).status_code == 201


@pytest.mark.parametrize("path", ["/v1/runs", "/v1/objects"])
def test_a_compressed_body_is_refused_unopened(admin: TestClient, path: str) -> None:
    bomb = gzip.compress(b" " * 10_000_000)
    headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}

    refused = admin.post(path, content=bomb, headers=headers)

    assert (refused.status_code, refused.json()["code"]) == (415, "unsupported_media_type")


@pytest.mark.parametrize(("priority", "status"), [(2, 201), (2.0, 201), (2.5, 422), (True, 422), ("2", 422)])
def test_a_whole_number_may_be_written_as_a_float_and_nothing_else_is(
    admin: TestClient, priority: object, status: int
) -> None:
    assert admin.post("/v1/runs", json={**START, "priority": priority}).status_code == status


def integers_of(model: type[RequestModel]) -> Iterator[tuple[str, TypeAdapter[Any], float]]:
    """The integer fields of request bodies, with a value that each takes, written as a float."""
    for below in model.__subclasses__():
        yield from integers_of(below)
    for name, field in model.model_fields.items():
        kind = TypeAdapter(Annotated[field.annotation, name, *field.metadata])  # type: ignore[valid-type]
        schema = kind.json_schema()
        members = {member.get("type"): member for member in schema.get("anyOf", [schema])}
        if "integer" in members and "number" not in members:
            yield f"{model.__name__}.{name}", kind, float(max(members["integer"].get("minimum", 0), 0))


def test_every_integer_of_a_body_may_be_written_as_a_float(settings: ServerSettings) -> None:
    create_app(settings)  # imports all models
    found = {name: (kind, value) for name, kind, value in integers_of(RequestModel)}

    wrong = [name for name, (kind, value) in found.items() if not is_taken(kind, value)]

    assert len(found) > 40
    assert wrong == []


def is_taken(kind: TypeAdapter[Any], value: float) -> bool:
    try:
        return type(kind.validate_python(value, strict=True)) is int
    except ValidationError:
        return False
