"""Routes as a table: each declares the permission it needs, or that it is for workers, for tasks or public.

A route without a declaration is refused.
"""

import inspect
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Annotated, Any
from urllib.parse import unquote

from fastapi import Depends, FastAPI, Request
from fastapi.routing import APIRoute
from starlette.routing import Match
from starlette.types import Receive, Scope, Send

from tenuto.model.permissions import KNOWN
from tenuto.server.auth.authenticate import ANY_PRINCIPAL
from tenuto.server.http.binding import Binding
from tenuto.server.http.json_body import BoundedRequest, BulkRequest, check_encoding, check_json
from tenuto.server.limits.address_limiter import AddressLimiter
from tenuto.server.limits.body_memory import FREE_VALUES, BodyMemoryLimit, Turns
from tenuto.server.requests.api import ApiRequest, open_api_request
from tenuto.server.requests.task import TaskRequest, open_task_request
from tenuto.server.requests.worker import WorkerRequest, open_worker_request

_NO_TURN = nullcontext()
SLASH = "\udc2f"  # replaces a %2F within a part of the path; no path on the wire contains it
PUBLIC = "public"
WORKER = "worker"  # requires a worker key
TASK = "task"  # requires the token of a running attempt
OPENERS: dict[str, Callable[[Request], Any]] = {WORKER: open_worker_request, TASK: open_task_request}
SCHEMES = {WORKER: "worker_key", TASK: "task_token"}
REFUSALS = {
    401: "no credential, or a bad one", 403: "not allowed", 404: "there is no such thing in this org",
    409: "not in its present state", 413: "too large", 415: "a body that is not JSON, or compressed",
    422: "invalid input", 429: "too many requests",
    503: "the database does not answer, or not in time",
}  # fmt: skip


class UndeclaredRoute(Exception):
    """A route declares no permission and is not public either."""


@dataclass(frozen=True)
class RouteSpec:
    """One declared route."""

    method: str
    path: str
    endpoint: Callable[..., Any]
    permission: str | None
    more: dict[str, Any]
    bulk: bool
    refuses: tuple[int, ...]
    takes: str | None

    @cached_property
    def route(self) -> "GuardedRoute":
        """Built once for all applications, because it is most of the cost of building one."""
        return GuardedRoute(
            self.path,
            self.endpoint,
            methods=[self.method],
            operation_id=self.endpoint.__name__,
            responses={**_refusals(self), **self.more.get("responses", {})},
            openapi_extra=_extra(self),
            **{name: value for name, value in self.more.items() if name != "responses"},
        )


class RouteTable:
    """The routes of one context: `@ROUTES.add("GET", "/v1/runs", permission="runs:read")`."""

    def __init__(self, tag: str) -> None:
        self.tag = tag
        self.declared: list[RouteSpec] = []

    def add(
        self,
        method: str,
        path: str,
        *,
        permission: str | None = None,
        response: Any = None,
        status: int = 200,
        bulk: bool = False,
        refuses: tuple[int, ...] = (),
        takes: str | None = None,
        **more: Any,
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Declare a route. `response` is the model of its response; `bulk` raises the body limit to 64 MB; `refuses`
        are the error statuses of a public route; `takes` is the media type of a body that is not JSON."""

        def declare(endpoint: Callable[..., Any]) -> Callable[..., Any]:
            options = {"response_model": response, "status_code": status, "tags": [self.tag], **more}
            self.declared.append(
                RouteSpec(method, path, _with_opened_request(endpoint), permission, options, bulk, refuses, takes)
            )
            return endpoint

        return declare


def _with_opened_request(endpoint: Callable[..., Any]) -> Callable[..., Any]:
    """Let a parameter of type ApiRequest, TaskRequest or WorkerRequest receive the request after authentication.
    FastAPI would take it for a field of the body."""
    signature = inspect.signature(endpoint)
    parameters = [
        parameter.replace(annotation=Annotated[parameter.annotation, Depends(_opened_request)])
        if parameter.annotation in (ApiRequest, TaskRequest, WorkerRequest)
        else parameter
        for parameter in signature.parameters.values()
    ]
    endpoint.__signature__ = signature.replace(parameters=parameters)  # pyright: ignore[reportFunctionMemberAccess]
    return endpoint


def _opened_request(request: Request) -> Any:
    return request.scope["tenuto.request"]


class GuardedRoute(APIRoute):
    """Authenticates the request and checks its permission before it reads the body."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        # `bulk` in /v1/runs/bulk is not the id of a run, whatever the method.
        if self.param_convertors and scope["path"] in scope["app"].state.plain_paths:
            return Match.NONE, {}
        return super().matches(scope)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        extra = self.openapi_extra or {}
        self._declared: str = extra.get("x-permission", PUBLIC)
        self._kind = BulkRequest if extra.get("x-bulk") else BoundedRequest
        self._binding = Binding(self)
        self.app = self._serve

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = self._kind(scope, receive)
        brake: AddressLimiter = request.app.state.brake
        if self._declared in OPENERS:
            scope["tenuto.request"] = await brake.admit(request, partial(OPENERS[self._declared], request))
        elif self._declared != PUBLIC:
            scope["tenuto.request"] = await brake.admit(request, partial(open_api_request, request, self._declared))
        elif 429 in self.responses:
            brake.take_token(request)
        check_encoding(request)
        with self._load(request):
            if self.body_field and await request.body():
                check_json(request)
            async with self._turn(request):
                response = await self._binding.answer(request)
        await response(scope, receive, send)

    def _load(self, request: BoundedRequest) -> AbstractContextManager[None]:
        """Reserves memory for a large body, on routes that read the body as a whole."""
        if self._kind is BoundedRequest or self._declared == PUBLIC or not self.body_field:
            return nullcontext()
        loads: BodyMemoryLimit = request.app.state.loads
        return loads.hold(request, request.scope["tenuto.request"].principal.org_id)

    def _turn(self, request: BoundedRequest) -> AbstractAsyncContextManager[None]:
        """Waits for the org's turn to process a body with many values."""
        if self._declared == PUBLIC or request.size() <= FREE_VALUES:
            return _NO_TURN
        turns: Turns = request.app.state.turns
        return turns.take(request.scope["tenuto.request"].principal.org_id, request.count_values())


class PathIndex:
    """Finds a route among those with the same method and the same first two path segments, instead of among all."""

    def __init__(self, app: FastAPI) -> None:
        self._otherwise = app.router.app
        self._routes: dict[tuple[str, ...], list[GuardedRoute]] = {}
        for route in app.routes:
            if isinstance(route, GuardedRoute):
                for method in route.methods or ():
                    self._routes.setdefault((method, *_first_two(route.path)), []).append(route)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if b"%2" in scope.get("raw_path", b""):
            scope["path"] = _parts_kept(scope["raw_path"])
        for route in self._routes.get((scope.get("method", ""), *_first_two(scope.get("path", ""))), ()):
            match, child_scope = route.matches(scope)
            if match == Match.FULL:
                scope.update(child_scope)
                if SLASH in scope["path"]:
                    scope["path"] = scope["path"].replace(SLASH, "/")
                    scope["path_params"] = {
                        name: value.replace(SLASH, "/") for name, value in child_scope["path_params"].items()
                    }
                await route.app(scope, receive, send)
                return
        await self._otherwise(scope, receive, send)  # responds 404 or 405


def _parts_kept(raw: bytes) -> str:
    """Splits the raw path before decoding it, so that a slash sent as %2F does not separate segments."""
    return "/".join(unquote(part.decode("latin-1")).replace("/", SLASH) for part in raw.split(b"/"))


def _first_two(path: str) -> tuple[str, ...]:
    return tuple(path.split("/", 3)[1:3])


def add_routes(app: FastAPI, tables: list[RouteTable]) -> None:
    """Add every declared route; raise UndeclaredRoute for any other route of the app."""
    for table in tables:
        for spec in table.declared:
            _check(spec)
            app.router.routes.append(spec.route)
    app.state.plain_paths = {spec.path for table in tables for spec in table.declared if "{" not in spec.path}
    app.router.middleware_stack = PathIndex(app)
    for route in app.routes:
        if not isinstance(route, GuardedRoute):
            raise UndeclaredRoute(f"{route} was added without a declaration; write @ROUTES.add(…)")


def _check(spec: RouteSpec) -> None:
    if spec.permission not in {PUBLIC, ANY_PRINCIPAL, *OPENERS, *KNOWN}:
        raise UndeclaredRoute(
            f"{spec.method} {spec.path} declares the permission {spec.permission!r}; "
            "write runs:read, runs:write, WORKER, TASK, ANYBODY or PUBLIC"
        )


def _refusals(spec: RouteSpec) -> dict[int | str, dict[str, Any]]:
    guarded = spec.permission != PUBLIC
    known = [code for code in REFUSALS if guarded or code == 503 or code in spec.refuses]
    return {code: {"description": REFUSALS[code]} for code in known}  # no model: a field per status makes start-up slow


def _extra(spec: RouteSpec) -> dict[str, Any]:
    extra: dict[str, Any] = {"x-permission": spec.permission}
    if spec.bulk:
        extra["x-bulk"] = True
    if spec.permission != PUBLIC:
        extra["security"] = [{SCHEMES.get(spec.permission or "", "api_key"): []}]
    if spec.takes:
        extra["requestBody"] = {"content": {spec.takes: {"schema": {"type": "string", "format": "binary"}}}}
    return extra
