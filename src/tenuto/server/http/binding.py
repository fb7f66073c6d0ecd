"""What an endpoint is called with, and its answer: the framework's own fields, without the framework's way to them.

FastAPI solves dependencies and opens two stacks anew for every request, which costs more than all else that a request
needs (bench/http.py). Our endpoints take a desk or the request, parts of the path, a query and a body, and no more.
"""

from collections import Counter
from typing import Any, get_args, get_origin

from fastapi import Response
from fastapi.dependencies.utils import request_params_to_args
from fastapi.exceptions import RequestValidationError, ResponseValidationError
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute
from pydantic import BaseModel, TypeAdapter
from starlette.datastructures import QueryParams

from tenuto.server.http.json_body import BoundedRequest, in_thread_if_large
from tenuto.server.http.json_items import CheckedItems

MISSING = {"type": "missing", "loc": ("body",), "msg": "Field required", "input": None}
JSON = "application/json"


class UnsupportedEndpoint(Exception):
    """An endpoint takes what no route of ours gives."""


class Binding:
    """How one endpoint is called."""

    def __init__(self, route: APIRoute) -> None:
        takes = route.dependant
        if takes.header_params or takes.cookie_params or route._embed_body_fields or len(takes.dependencies) > 1:
            raise UnsupportedEndpoint(f"{route.path}: take headers and cookies from the request, and one body at most")
        self._path, self._query, self._body = takes.path_params, takes.query_params, route.body_field
        self._lists = _lists_of(takes.query_params)
        self._unsaid = _defaults(route)
        self._items = _items_of(route)
        self._body_name = takes.body_params[0].name if takes.body_params else ""
        self._desk = takes.dependencies[0].name if takes.dependencies else None
        self._request = takes.request_param_name
        self._endpoint: Any = takes.call
        self._answer, self._status = route.response_field, route.status_code or 200

    async def answer(self, request: BoundedRequest) -> Response:
        """Call the endpoint; the answer is checked against its model, as the documentation promises."""
        made = await self._endpoint(**await self._arguments(request))
        if isinstance(made, Response):
            return made
        if self._answer is None:
            return JSONResponse(made, self._status)
        value, errors = self._answer.validate(made, {}, loc=("response",))
        if errors:
            raise ResponseValidationError(errors=errors, body=made)
        return Response(self._answer.serialize_json(value), self._status, media_type=JSON)

    async def _arguments(self, request: BoundedRequest) -> dict[str, Any]:
        values: dict[str, Any] = {}
        errors: list[Any] = []
        for field in self._path:
            values[field.name], wrong = field.validate(request.path_params[field.alias], {}, loc=("path", field.alias))
            errors += wrong
        if self._unsaid is not None and not request.scope["query_string"]:
            values |= self._unsaid
        elif self._query:
            asked = QueryParams(request.scope["query_string"])
            errors += self._repeated(asked)
            found, wrong = request_params_to_args(self._query, asked)
            values |= found
            errors += wrong
        if self._desk:
            values[self._desk] = request.scope["tenuto.desk"]
        if self._request:
            values[self._request] = request
        if self._body:
            values[self._body_name] = await self._read_body(request, errors)
        if errors:
            raise RequestValidationError(errors, body=getattr(request, "_json", None))
        return values

    def _repeated(self, asked: QueryParams) -> list[Any]:
        """Parameters that were sent twice though they hold one value: a proxy may have read the other one."""
        sent = asked.multi_items()
        if len(sent) == len(asked):
            return []
        counts = Counter(name for name, _ in sent)
        return [
            {"type": "repeated", "loc": ("query", name), "msg": "is there more than once; send it once", "input": None}
            for name, count in counts.items()
            if count > 1 and name not in self._lists
        ]

    async def _read_body(self, request: BoundedRequest, errors: list[Any]) -> Any:
        field: Any = self._body
        body = await request.body()
        if not body:
            if field.field_info.is_required():
                errors.append(MISSING)
            return field.get_default()
        if self._items:
            item, most = self._items
            return CheckedItems(body, item, max_items=most, max_depth=request.most_depth)
        sent = await request.json()
        value, wrong = await in_thread_if_large(body, lambda: field.validate(sent, {}, loc=("body",)))
        errors += wrong
        return value


def _lists_of(fields: list[Any]) -> set[str]:
    """The parameters of a query that may be sent more than once."""
    names: set[str] = set()
    for field in fields:
        annotation = field.field_info.annotation
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            inner = annotation.model_fields.items()
            names |= {one.alias or name for name, one in inner if _holds_list(one.annotation)}
        elif _holds_list(annotation):
            names.add(field.alias)
    return names


def _holds_list(annotation: Any) -> bool:
    return get_origin(annotation) is list or any(_holds_list(part) for part in get_args(annotation))


def _items_of(route: APIRoute) -> tuple[TypeAdapter[Any], int] | None:
    """How to check an item of a bulk body that is a list, and how many it may have: the endpoint gets its items one by
    one, since all of them at once are 30 times as large as the body."""
    info = route.body_field.field_info if route.body_field else None
    if info is None or not (route.openapi_extra or {}).get("x-bulk") or get_origin(info.annotation) is not list:
        return None
    (item,) = get_args(info.annotation)
    return TypeAdapter(item), next(one.max_length for one in info.metadata if hasattr(one, "max_length"))


def _defaults(route: APIRoute) -> dict[str, Any] | None:
    """The values of a query that says nothing, where they are plain ones and none has to be said."""
    fields = route.dependant.query_params
    if any(field.field_info.is_required() for field in fields):
        return None
    values = {field.name: field.get_default() for field in fields}
    plain = all(isinstance(value, str | int | float | None) for value in values.values())
    return values if plain else None
