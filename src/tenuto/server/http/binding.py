"""Calls endpoints with validated arguments from the request, and validates and writes their results."""

from collections import Counter
from collections.abc import Collection, Iterator
from functools import cached_property
from inspect import Parameter, signature
from types import NoneType
from typing import Any, get_args, get_origin

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo
from starlette.datastructures import QueryParams
from starlette.responses import JSONResponse, Response

from tenuto.server.http.json_items import CheckedItems
from tenuto.server.http.problems import InvalidRequest
from tenuto.server.http.request import HttpRequest, in_thread_if_large
from tenuto.server.http.route_table import PUBLIC, TASK, WORKER, RouteSpec
from tenuto.server.requests.api import ApiRequest
from tenuto.server.requests.task import TaskRequest
from tenuto.server.requests.worker import WorkerRequest

Caller = ApiRequest | WorkerRequest | TaskRequest
Errors = list[dict[str, Any]]

MISSING = {"type": "missing", "msg": "Argument required", "input": None}
JSON = "application/json"
REQUEST_CLASSES: dict[str | None, type] = {PUBLIC: HttpRequest, WORKER: WorkerRequest, TASK: TaskRequest}


class UnsupportedEndpoint(Exception):
    """An endpoint has a parameter that no route supplies."""


class Argument:
    """One validated parameter of an endpoint, from the path, the query or the body."""

    def __init__(self, parameter: Parameter, source: str) -> None:
        self.name, self.annotation, self.default = parameter.name, parameter.annotation, parameter.default
        self.is_required = parameter.default is Parameter.empty
        self.location: tuple[str, ...] = (source,) if source == parameter.name else (source, parameter.name)

    @cached_property
    def adapter(self) -> TypeAdapter[Any]:
        return TypeAdapter(self.annotation)

    def validate(self, value: Any, errors: Errors) -> Any:
        try:
            return self.adapter.validate_python(value)
        except ValidationError as error:
            failures = error.errors(include_url=False)
            errors += [{**failure, "loc": (*self.location, *failure["loc"])} for failure in failures]
            return None

    def missing(self, errors: Errors) -> Any:
        """Returns the default for a value that was not sent. Adds an error if the value is required."""
        if self.is_required:
            errors.append({**MISSING, "loc": self.location})
            return None
        return self.default


class Binding:
    """The arguments and the response model of one endpoint; `path_names` are the parameters in its path."""

    def __init__(self, spec: RouteSpec, path_names: Collection[str]) -> None:
        self.path_names = path_names
        self.path: list[Argument] = []
        self.query: list[Argument] = []  # single query parameters
        self.query_model: Argument | None = None
        self.body: Argument | None = None
        self._endpoint, self._status, self._response = spec.endpoint, spec.status, spec.response
        self._takes_request = False
        for parameter in signature(spec.endpoint).parameters.values():
            self._add(parameter, spec)
        self.has_body = self.body is not None
        self._bulk_item = _bulk_item(self.body) if spec.bulk and self.body else None

    def _add(self, parameter: Parameter, spec: RouteSpec) -> None:
        name, kind = parameter.name, parameter.annotation
        if kind is Parameter.empty or parameter.kind is not Parameter.POSITIONAL_OR_KEYWORD:
            raise UnsupportedEndpoint(f"{spec.path}: parameter {name!r} has no type or takes several values")
        if name == "request":
            expected = REQUEST_CLASSES.get(spec.permission, ApiRequest)
            if kind is not expected:
                raise UnsupportedEndpoint(
                    f"{spec.path}: the parameter `request` has the type {kind.__name__}; a route with the permission "
                    f"{spec.permission!r} must declare `request: {expected.__name__}`"
                )
            self._takes_request = True
        elif name in self.path_names:
            self.path.append(Argument(parameter, "path"))
        elif name == "body":
            self.body = Argument(parameter.replace(annotation=_without_none(kind)), "body")
        elif name == "query":
            self.query_model = Argument(parameter, "query")
        else:
            self.query.append(Argument(parameter, "query"))

    async def call(self, request: HttpRequest, caller: Caller | None) -> Response:
        """Calls the endpoint and returns the response. Validates the result against the response model, unless it is a
        response already."""
        arguments = await self._arguments(request)
        if self._takes_request:
            arguments["request"] = request if caller is None else caller
        result = await self._endpoint(**arguments)
        if isinstance(result, Response):
            return result
        if self._response is None:
            return JSONResponse(result, self._status)
        value = self._response_adapter.validate_python(result, from_attributes=True)
        return Response(self._response_adapter.dump_json(value, by_alias=True), self._status, media_type=JSON)

    @cached_property
    def _response_adapter(self) -> TypeAdapter[Any]:
        return TypeAdapter(self._response)

    async def _arguments(self, request: HttpRequest) -> dict[str, Any]:
        values: dict[str, Any] = {}
        errors: Errors = []
        for field in self.path:
            values[field.name] = field.validate(request.path_params[field.name], errors)
        if self.query or self.query_model:
            self._read_query(request, values, errors)
        if self.body is not None:
            values["body"] = await self._read_body(request, self.body, errors)
        if errors:
            raise InvalidRequest(errors, request.parsed_json)
        return values

    def _read_query(self, request: HttpRequest, values: dict[str, Any], errors: Errors) -> None:
        text: bytes = request.scope["query_string"]
        sent = QueryParams(text) if text else NO_QUERY
        if text:
            errors += _repeated(sent, self._repeatable_parameters)
        for field in self.query:
            known = field.name in sent
            values[field.name] = field.validate(sent[field.name], errors) if known else field.missing(errors)
        if (model := self.query_model) is not None:
            params = {name: sent.getlist(name) if name in self._repeatable_parameters else sent[name] for name in sent}
            values["query"] = model.validate(params, errors)

    @cached_property
    def _repeatable_parameters(self) -> set[str]:
        """The query parameters that may be repeated."""
        if self.query_model is None:
            return set()
        fields = self.query_model.annotation.model_fields.items()
        return {name for name, field in fields if _holds_list(field.annotation)}

    async def _read_body(self, request: HttpRequest, field: Argument, errors: Errors) -> Any:
        body = await request.body()
        if not body:
            return field.missing(errors)
        if self._bulk_item:
            item, max_items = self._bulk_item
            return CheckedItems(body, item, max_items=max_items, max_depth=request.max_depth)
        content = await request.json()
        return await in_thread_if_large(body, lambda: field.validate(content, errors))

    @cached_property
    def known_fields(self) -> tuple[str, ...]:
        """Every field that a request may have, in its body or its query; for suggestions in error messages."""
        models = [field.annotation for field in (self.query_model, *self.query, self.body) if field is not None]
        names = [name for annotation in models for name in _field_names(annotation, set())]
        return tuple(dict.fromkeys([*names, *(field.name for field in self.query)]))


NO_QUERY = QueryParams()


def _repeated(query: QueryParams, lists: Collection[str]) -> Errors:
    """Returns an error for each single-value parameter that was sent more than once: a proxy in front of the server may
    have used another of the values."""
    sent = query.multi_items()
    if len(sent) == len(query):
        return []
    counts = Counter(name for name, _ in sent)
    return [
        {"type": "repeated", "loc": ("query", name), "msg": "is sent more than once; send it once", "input": None}
        for name, count in counts.items()
        if count > 1 and name not in lists
    ]


def _holds_list(annotation: Any) -> bool:
    return get_origin(annotation) is list or any(_holds_list(part) for part in get_args(annotation))


def _without_none(annotation: Any) -> Any:
    """Returns the type of an optional body. A request without a body is valid; the JSON value null is not a body."""
    members = [member for member in get_args(annotation) if member is not NoneType]
    return members[0] if NoneType in get_args(annotation) and len(members) == 1 else annotation


def _bulk_item(body: Argument) -> tuple[TypeAdapter[Any], int] | None:
    """Returns the validator of an item and the maximum number of items for a body that is a list, else None. The
    endpoint gets the items one by one, because all of them parsed at once take 30 times the memory of the body."""
    info = FieldInfo.from_annotation(body.annotation)
    if get_origin(info.annotation) is not list:
        return None
    (item,) = get_args(info.annotation)
    return TypeAdapter(item), next(limit.max_length for limit in info.metadata if hasattr(limit, "max_length"))


def _field_names(annotation: Any, seen: set[Any]) -> Iterator[str]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel) and annotation not in seen:
        seen.add(annotation)
        for name, field in annotation.model_fields.items():
            yield field.alias or name
            yield from _field_names(field.annotation, seen)
    for part in get_args(annotation):
        yield from _field_names(part, seen)
