"""Routes as a table: each says which permission it needs, that it is for workers or for tasks, or that it is public.

One that says nothing is refused.
"""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any
from urllib.parse import unquote

from fastapi import FastAPI, Request
from fastapi.routing import APIRoute
from starlette.routing import Match
from starlette.types import Receive, Scope, Send

from tenuto.model.permissions import KNOWN
from tenuto.server.auth.authenticate import ANY_PRINCIPAL
from tenuto.server.http.binding import Binding
from tenuto.server.http.json_body import BoundedRequest, BulkRequest, check_encoding, check_json
from tenuto.server.limits.address_limiter import AddressLimiter
from tenuto.server.limits.body_memory import FREE_VALUES, BodyMemoryLimit, Turns
from tenuto.server.requests.api import open_desk
from tenuto.server.requests.task import open_task_desk
from tenuto.server.requests.worker import open_worker_desk

_NO_TURN = nullcontext()
SLASH = "\udc2f"  # no path that is sent has it
PUBLIC = "public"
WORKER = "worker"  # who has a worker key, and nobody else
TASK = "task"  # who has the token of a running attempt, and nobody else
OPENERS: dict[str, Callable[[Request], Any]] = {WORKER: open_worker_desk, TASK: open_task_desk}
SCHEMES = {WORKER: "worker_key", TASK: "task_token"}
REFUSALS = {
    401: "no credential, or a bad one", 403: "not allowed", 404: "there is no such thing in this org",
    409: "not in its present state", 413: "too large", 415: "a body that is not JSON, or compressed",
    422: "invalid input", 429: "too many requests",
    503: "the database does not answer, or not in time",
}  # fmt: skip


class UndeclaredRoute(Exception):
    """A route says neither which permission it needs nor that it is public."""


@dataclass(frozen=True)
class RouteSpec:
    """One route."""

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
        """Made once, for however many applications: it is most of what making one costs."""
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
        answer: Any = None,
        status: int = 200,
        bulk: bool = False,
        refuses: tuple[int, ...] = (),
        takes: str | None = None,
        **more: Any,
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """`answer` is the model of what it answers; `bulk` lets its body have 64 MB; `refuses` are the refusals of a
        public route; `takes` is the media type of a body that is not JSON."""

        def declare(endpoint: Callable[..., Any]) -> Callable[..., Any]:
            said = {"response_model": answer, "status_code": status, "tags": [self.tag], **more}
            self.declared.append(RouteSpec(method, path, endpoint, permission, said, bulk, refuses, takes))
            return endpoint

        return declare


class GuardedRoute(APIRoute):
    """Lets nobody in without the permission, and reads no body before that."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        # `bulk` in /v1/runs/bulk is not the id of a run, whatever the method.
        if self.param_convertors and scope["path"] in scope["app"].state.plain_paths:
            return Match.NONE, {}
        return super().matches(scope)

    def __init__(self, *args: Any, **said: Any) -> None:
        super().__init__(*args, **said)
        extra = self.openapi_extra or {}
        self._declared: str = extra.get("x-permission", PUBLIC)
        self._kind = BulkRequest if extra.get("x-bulk") else BoundedRequest
        self._binding = Binding(self)
        self.app = self._serve

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = self._kind(scope, receive)
        brake: AddressLimiter = request.app.state.brake
        if self._declared in OPENERS:
            scope["tenuto.desk"] = await brake.admit(request, partial(OPENERS[self._declared], request))
        elif self._declared != PUBLIC:
            scope["tenuto.desk"] = await brake.admit(request, partial(open_desk, request, self._declared))
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
        """Room for a large body, where a route reads one whole."""
        if self._kind is BoundedRequest or self._declared == PUBLIC or not self.body_field:
            return nullcontext()
        loads: BodyMemoryLimit = request.app.state.loads
        return loads.hold(request, request.scope["tenuto.desk"].principal.org_id)

    def _turn(self, request: BoundedRequest) -> AbstractAsyncContextManager[None]:
        """The org's turn to work on a body of many values, where it may have that many."""
        if self._declared == PUBLIC or request.size() <= FREE_VALUES:
            return _NO_TURN
        turns: Turns = request.app.state.turns
        return turns.take(request.scope["tenuto.desk"].principal.org_id, request.count_values())


class PathIndex:
    """Looks for a route among those of the method whose first two parts are those of the path, not among all."""

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
            match, found = route.matches(scope)
            if match == Match.FULL:
                scope.update(found)
                if SLASH in scope["path"]:
                    scope["path"] = scope["path"].replace(SLASH, "/")
                    scope["path_params"] = {
                        name: said.replace(SLASH, "/") for name, said in found["path_params"].items()
                    }
                await route.app(scope, receive, send)
                return
        await self._otherwise(scope, receive, send)  # what is not there, or not by this method


def _parts_kept(raw: bytes) -> str:
    """The path with what names it as they are, whatever they hold: a slash that was sent as %2F parts nothing."""
    return "/".join(unquote(part.decode("latin-1")).replace("/", SLASH) for part in raw.split(b"/"))


def _first_two(path: str) -> tuple[str, ...]:
    return tuple(path.split("/", 3)[1:3])


def add_routes(app: FastAPI, tables: list[RouteTable]) -> None:
    """Every declared route; an undeclared one is refused, wherever it came from."""
    for table in tables:
        for one in table.declared:
            _check(one)
            app.router.routes.append(one.route)
    app.state.plain_paths = {one.path for table in tables for one in table.declared if "{" not in one.path}
    app.router.middleware_stack = PathIndex(app)
    for route in app.routes:
        if not isinstance(route, GuardedRoute):
            raise UndeclaredRoute(f"{route} was added without a declaration; write @ROUTES.add(…)")


def _check(one: RouteSpec) -> None:
    if one.permission not in {PUBLIC, ANY_PRINCIPAL, *OPENERS, *KNOWN}:
        raise UndeclaredRoute(
            f"{one.method} {one.path} declares the permission {one.permission!r}; "
            "write runs:read, runs:write, WORKER, TASK, ANYBODY or PUBLIC"
        )


def _refusals(one: RouteSpec) -> dict[int | str, dict[str, Any]]:
    guarded = one.permission != PUBLIC
    known = [code for code in REFUSALS if guarded or code == 503 or code in one.refuses]
    return {code: {"description": REFUSALS[code]} for code in known}  # no model: a field for each makes starts slow


def _extra(one: RouteSpec) -> dict[str, Any]:
    extra: dict[str, Any] = {"x-permission": one.permission}
    if one.bulk:
        extra["x-bulk"] = True
    if one.permission != PUBLIC:
        extra["security"] = [{SCHEMES.get(one.permission or "", "api_key"): []}]
    if one.takes:
        extra["requestBody"] = {"content": {one.takes: {"schema": {"type": "string", "format": "binary"}}}}
    return extra
