"""Calls endpoints with arguments from the request and builds responses: uses FastAPI's fields, but not its dispatch.

FastAPI resolves dependencies and opens two exit stacks per request, which costs more than everything else in a request
(bench/http.py). Endpoints here only take an ApiRequest (or its worker or task variant) or the request itself, path
parameters, a query and a body.
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
    """An endpoint has a parameter that no route supplies."""


class Binding:
    """The arguments and the response model of one endpoint."""

    def __init__(self, route: APIRoute) -> None:
        takes = route.dependant
        if takes.header_params or takes.cookie_params or route._embed_body_fields or len(takes.dependencies) > 1:
            raise UnsupportedEndpoint(f"{route.path}: take headers and cookies from the request, and one body at most")
        self._path, self._query, self._body = takes.path_params, takes.query_params, route.body_field
        self._lists = _lists_of(takes.query_params)
        self._unsaid = _defaults(route)
        self._items = _items_of(route)
        self._body_name = takes.body_params[0].name if takes.body_params else ""
        self._opened = takes.dependencies[0].name if takes.dependencies else None
        self._request = takes.request_param_name
        self._endpoint: Any = takes.call
        self._answer, self._status = route.response_field, route.status_code or 200

    async def answer(self, request: BoundedRequest) -> Response:
        """Call the endpoint; validate the result against its response model, as documented."""
        result = await self._endpoint(**await self._arguments(request))
        if isinstance(result, Response):
            return result
        if self._answer is None:
            return JSONResponse(result, self._status)
        value, errors = self._answer.validate(result, {}, loc=("response",))
        if errors:
            raise ResponseValidationError(errors=errors, body=result)
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
            query = QueryParams(request.scope["query_string"])
            errors += self._repeated(query)
            parsed, wrong = request_params_to_args(self._query, query)
            values |= parsed
            errors += wrong
        if self._opened:
            values[self._opened] = request.scope["tenuto.request"]
        if self._request:
            values[self._request] = request
        if self._body:
            values[self._body_name] = await self._read_body(request, errors)
        if errors:
            raise RequestValidationError(errors, body=getattr(request, "_json", None))
        return values

    def _repeated(self, query: QueryParams) -> list[Any]:
        """Returns errors for single-value parameters that were sent twice: a proxy may have read the other value."""
        sent = query.multi_items()
        if len(sent) == len(query):
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
            item, max_items = self._items
            return CheckedItems(body, item, max_items=max_items, max_depth=request.most_depth)
        content = await request.json()
        value, wrong = await in_thread_if_large(body, lambda: field.validate(content, {}, loc=("body",)))
        errors += wrong
        return value


def _lists_of(fields: list[Any]) -> set[str]:
    """Returns the query parameters that may be repeated."""
    names: set[str] = set()
    for field in fields:
        annotation = field.field_info.annotation
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            inner = annotation.model_fields.items()
            names |= {field_info.alias or name for name, field_info in inner if _holds_list(field_info.annotation)}
        elif _holds_list(annotation):
            names.add(field.alias)
    return names


def _holds_list(annotation: Any) -> bool:
    return get_origin(annotation) is list or any(_holds_list(part) for part in get_args(annotation))


def _items_of(route: APIRoute) -> tuple[TypeAdapter[Any], int] | None:
    """Returns the validator and the maximum number of items of a bulk body that is a list, else None. The endpoint gets
    the items one by one, because parsed all at once they take 30 times the memory of the body."""
    info = route.body_field.field_info if route.body_field else None
    if info is None or not (route.openapi_extra or {}).get("x-bulk") or get_origin(info.annotation) is not list:
        return None
    (item,) = get_args(info.annotation)
    return TypeAdapter(item), next(limit.max_length for limit in info.metadata if hasattr(limit, "max_length"))


def _defaults(route: APIRoute) -> dict[str, Any] | None:
    """Returns the arguments for an empty query, if no parameter is required and all defaults are plain values, else
    None."""
    fields = route.dependant.query_params
    if any(field.field_info.is_required() for field in fields):
        return None
    values = {field.name: field.get_default() for field in fields}
    plain = all(isinstance(value, str | int | float | None) for value in values.values())
    return values if plain else None
