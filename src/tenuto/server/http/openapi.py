"""The OpenAPI 3.1 document. FastAPI describes the routes; it takes no part in serving them.

Generators of clients read the document, so it is written for them: a field with a default is optional (some generators
make it required), an optional body has no null, and each list of words has a name."""

import json
from collections.abc import Iterable
from inspect import Parameter, Signature
from typing import Annotated, Any, Literal, cast, get_args, get_origin

from fastapi import Body, Path, Query
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute

from tenuto.model import statuses
from tenuto.model.json import JsonObject
from tenuto.server.http.binding import JSON, Argument
from tenuto.server.http.route_table import BINARY, PUBLIC, TASK, WORKER, RouteSpec
from tenuto.server.http.routing import HttpRoute
from tenuto.server.schemas.base import Problem

PROBLEM = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
ABOUT = """
Programs send an API key (`Authorization: Bearer tn_…`, created by `tenuto keys create`), or a token of the OIDC issuer;
browsers that logged in have a cookie. Routes below `/internal` are for workers, routes below `/v1/task` for the code of
a running attempt.

* **Errors** are `application/problem+json` with a stable `code`, the cause in `detail`, often a `hint`, and the
  `request_id`, which is also in the log of the server.
* **Repeated requests:** a start with the same `dedupe_key` returns the first run. Any change with the same header
  `Idempotency-Key` within a day returns the first response, unless that response contains a new key.
* **Lists** are pages: pass `next` of a page as `before` or `after` to get the next page.
* **Waiting:** `wait` makes a request wait for the end of a run; `/v1/changes` is a stream of all changes.
"""
SCHEMES = {
    "api_key": "An API key (tn_…), or a token of the OIDC issuer that users log in with",
    "worker_key": "A worker key: tnw_…",
    "task_token": "The token of a running attempt, as its worker received it: a JWT",
}
SCHEME_OF = {WORKER: "worker_key", TASK: "task_token"}
AFTER = {"Retry-After": {"description": "Seconds to wait", "required": True, "schema": {"type": "integer"}}}
HEADERS: dict[str, dict[str, Any]] = {
    "401": {"WWW-Authenticate": {"description": "Bearer", "required": True, "schema": {"type": "string"}}},
    "429": AFTER,
    "503": AFTER,
}
SCHEMAS = "#/components/schemas/"
BESIDE = ("description", "minProperties")  # keywords that stay beside a reference
ANY_OBJECT = {"type": "object", "additionalProperties": True}
# The names of the lists of words of the model.
NAMES = {frozenset(get_args(words)): name for name, words in vars(statuses).items() if get_origin(words) is Literal}


def describe(title: str, version: str, routes: Iterable[HttpRoute]) -> dict[str, Any]:
    """Returns the document. All its error responses are declared as a Problem, not as the schema that FastAPI would
    declare."""
    described = [_described(route) for route in routes]
    schema = get_openapi(title=title, version=version, description=ABOUT, openapi_version="3.1.0", routes=described)
    components = schema.setdefault("components", {})
    components["securitySchemes"] = {
        name: {"type": "http", "scheme": "bearer", "description": text} for name, text in SCHEMES.items()
    }
    for name in ("HTTPValidationError", "ValidationError"):
        components.get("schemas", {}).pop(name, None)
    components.setdefault("schemas", {})["Problem"] = Problem.model_json_schema(mode="serialization")
    for methods in schema["paths"].values():
        for operation in methods.values():
            _describe_responses(operation["responses"])
    for model in components["schemas"].values():
        for field in model.get("properties", {}).values():
            _describe_default(field)
    named: dict[str, object] = {}
    titles = {f"{SCHEMAS}{name}": f"{SCHEMAS}{model['title']}" for name, model in components["schemas"].items()}
    components["schemas"] = {model["title"]: model for model in components["schemas"].values()}
    schema = _name_shared(schema, titles, named)
    schema["components"]["schemas"] |= named
    return schema


def _described(route: HttpRoute) -> APIRoute:
    """Returns FastAPI's description of a route. It has an endpoint with the same parameters, except `request`."""
    spec, binding = route.spec, route.binding

    def endpoint() -> None: ...

    parameters = [_parameter(argument, Path()) for argument in binding.path]
    parameters += [_parameter(argument, Query()) for argument in binding.query]
    parameters += [_parameter(binding.query_model, Query())] if binding.query_model else []
    parameters += [_parameter(binding.body, Body())] if binding.body else []
    endpoint.__signature__ = Signature(parameters)  # pyright: ignore[reportFunctionMemberAccess] - as inspect documents
    endpoint.__name__ = spec.endpoint.__name__
    summary, description = _split(spec.endpoint.__doc__ or "")
    return APIRoute(
        spec.path,
        endpoint,
        methods=[spec.method],
        operation_id=spec.endpoint.__name__,
        summary=summary,
        description=description,
        tags=[spec.tag],
        response_model=spec.response,
        status_code=spec.status,
        responses=dict(spec.responses),
        response_class=spec.response_class,
        openapi_extra=_extra(spec),
    )


def _split(docstring: str) -> tuple[str, str]:
    """Returns the first sentence without its full stop, and the rest."""
    summary, _, description = " ".join(docstring.split()).removesuffix(".").partition(". ")
    return summary, f"{description}." if description else ""


def _parameter(argument: Argument, marker: Any) -> Parameter:
    return Parameter(
        argument.name,
        Parameter.KEYWORD_ONLY,
        default=argument.default,
        annotation=Annotated[argument.annotation, marker],
    )


def _extra(spec: RouteSpec) -> dict[str, Any]:
    extra: dict[str, Any] = {"x-permission": spec.permission}
    if spec.bulk:
        extra["x-bulk"] = True
    if spec.permission != PUBLIC:
        extra["security"] = [{SCHEME_OF.get(spec.permission or "", "api_key"): []}]
    if spec.takes:
        body: dict[str, str] = {} if spec.takes == JSON else BINARY
        extra["requestBody"] = {"content": {spec.takes: {"schema": body}}, "required": True}
    if spec.headers:
        extra["parameters"] = [
            {
                "name": header.name,
                "in": "header",
                "required": header.required,
                "description": header.description,
                "schema": header.schema,
            }
            for header in spec.headers
        ]
    return extra


def _describe_responses(responses: dict[str, Any]) -> None:
    for status, response in responses.items():
        if status >= "400":
            response["content"] = PROBLEM
            response.update({"headers": HEADERS[status]} if status in HEADERS else {})
        for media_type, content in response.get("content", {}).items():
            if media_type.startswith("application/") and not media_type.endswith("json"):
                content["schema"] = BINARY


def _describe_default(field: JsonObject) -> None:
    """Moves the default of a field into its description. Some generators make fields with a default required."""
    default = field.pop("default", None)
    if default is not None:
        text = f"Default: {json.dumps(default)}."
        field["description"] = f"{field['description']} {text}" if "description" in field else text


def _name_shared(part: object, titles: dict[str, str], named: dict[str, object]) -> Any:
    """Returns the part of the document with references to schemas by their titles, and with references in place of
    lists of words that have a name and of objects with any fields. Adds the schemas of these to `named`."""
    if isinstance(part, list):
        return [_name_shared(item, titles, named) for item in cast("list[object]", part)]
    if isinstance(part, str):
        return titles.get(part, part)
    if not isinstance(part, dict):
        return part
    found = cast("dict[str, object]", part)
    alone = {key: value for key, value in found.items() if key not in ("title", *BESIDE)}
    if alone == ANY_OBJECT:
        name = "JsonObject"
    elif alone.keys() == {"type", "enum"}:
        name = NAMES.get(frozenset(cast("list[str]", alone["enum"])))
    else:
        name = None
    if name is None:
        return {key: _name_shared(value, titles, named) for key, value in found.items()}
    named[name] = {**alone, "title": name}
    return {"$ref": f"{SCHEMAS}{name}", **{key: found[key] for key in BESIDE if key in found}}
