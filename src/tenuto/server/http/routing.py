"""Finds the route of a request and serves it. Authenticates the request and checks its permission before it reads the
body."""

import re
from collections.abc import Iterable
from contextlib import AbstractAsyncContextManager, AbstractContextManager, nullcontext
from functools import partial
from itertools import zip_longest
from urllib.parse import unquote

from starlette.exceptions import HTTPException
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocketClose

from tenuto.server.auth.authenticate import authenticate
from tenuto.server.http.binding import Binding, Caller
from tenuto.server.http.problems import MethodNotAllowed, error_response
from tenuto.server.http.request import LARGE_BODY_BYTES, BulkHttpRequest, HttpRequest, check_encoding, check_json
from tenuto.server.http.route_table import PUBLIC, TASK, WORKER, RouteSpec
from tenuto.server.limits.body_memory import FREE_VALUES
from tenuto.server.requests.api import ApiRequest
from tenuto.server.requests.task import open_task_request
from tenuto.server.requests.worker import open_worker_request

SLASH = "\udc2f"  # replaces %2F within a segment; no received path contains this character
PARAMETER = re.compile(r"\{(\w+)\}")
_NOTHING_HELD = nullcontext()


class HttpRoute:
    """One endpoint, with the checks that a request must pass before the endpoint is called."""

    def __init__(self, spec: RouteSpec) -> None:
        spec.check()
        self.spec, self.method, self.path = spec, spec.method, spec.path
        self.binding = Binding(spec, PARAMETER.findall(spec.path))
        self.pattern = _pattern(spec.path)
        self._permission = spec.permission or ""
        self._request_class = BulkHttpRequest if spec.bulk else HttpRequest
        self._is_limited = 429 in spec.responses

    async def serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = self._request_class(scope, receive)
        request.record.route = self.path
        caller = await self._admit(request)
        check_encoding(request)
        with self._reserve_memory(request, caller):
            if self.binding.has_body and await request.body():
                check_json(request)
            async with self._wait_for_turn(request, caller):
                response = await self.binding.call(request, caller)
        await response(scope, receive, send)

    async def _admit(self, request: HttpRequest) -> Caller | None:
        """Authenticates the request, checks its permission and returns the caller; returns None on a public route."""
        limiter, permission = request.server.address_limiter, self._permission
        if permission == PUBLIC:
            if self._is_limited:
                limiter.take_token(request)
            return None
        if permission == WORKER:
            caller = await limiter.admit(request, partial(open_worker_request, request))
        elif permission == TASK:
            caller = await limiter.admit(request, partial(open_task_request, request))
        else:
            principal, actor = await limiter.admit(request, partial(authenticate, request, permission))
            server = request.server
            key = request.headers.get("idempotency-key") if self.spec.repeatable else None
            caller = ApiRequest(request, principal, server.pool, server.settings, actor, key)
        request.record.authenticated = True
        return caller

    def _reserve_memory(self, request: HttpRequest, caller: Caller | None) -> AbstractContextManager[None]:
        """Reserves memory for a large body, on routes that read the body as a whole."""
        if caller is None or not self.spec.bulk or not self.binding.has_body:
            return _NOTHING_HELD
        size = request.announced_size()
        if size <= LARGE_BODY_BYTES:
            return _NOTHING_HELD
        return request.server.body_memory.hold(caller.principal.org_id, size)

    def _wait_for_turn(self, request: HttpRequest, caller: Caller | None) -> AbstractAsyncContextManager[None]:
        """Waits for the org's turn to process a body with many values."""
        if caller is None or request.size() <= FREE_VALUES:
            return _NOTHING_HELD
        return request.server.body_turns.take(caller.principal.org_id, request.count_values())


class Router:
    """Finds the route of a request: by the exact path, or else among the routes with the same method and first path
    segments."""

    def __init__(self, specs: Iterable[RouteSpec]) -> None:
        self.routes = [HttpRoute(spec) for spec in specs]
        self._exact = {(route.method, route.path): route for route in self.routes if not route.binding.path_names}
        self._exact_paths = {path for _, path in self._exact}
        self._by_prefix: dict[tuple[str, ...], list[HttpRoute]] = {}
        for route in self.routes:
            if route.binding.path_names:
                self._by_prefix.setdefault((route.method, *_prefix(route.path)), []).append(route)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await WebSocketClose()(scope, receive, send)
            return
        route: HttpRoute | None = None
        try:
            route = self._find(scope)
            await route.serve(scope, receive, send)
        except Exception as error:
            record = scope["tenuto.record"]
            response = error_response(record, error, route.binding.known_fields if route else ())
            if response is None or record.status is not None:
                raise  # an internal error, or the response has begun
            await response(scope, receive, send)

    def _find(self, scope: Scope) -> HttpRoute:
        path: str = scope["path"]
        if b"%2" in scope.get("raw_path", b""):
            path = scope["path"] = _keep_segments(scope["raw_path"])
        method: str = scope["method"]
        if (route := self._exact.get((method, path))) is not None:
            scope["path_params"] = {}
            return route
        # `bulk` in /v1/runs/bulk is not the id of a run, even if no route has this path with this method.
        if path not in self._exact_paths:
            first, second = _first_two(path)
            for route in self._by_prefix.get((method, first, second)) or self._by_prefix.get((method, first), ()):
                if (match := route.pattern.fullmatch(path)) is not None:
                    scope["path_params"] = match.groupdict()
                    if SLASH in path:
                        scope["path"] = path.replace(SLASH, "/")
                        scope["path_params"] = {
                            name: part.replace(SLASH, "/") for name, part in match.groupdict().items()
                        }
                    return route
        if methods := self._methods(path):
            raise MethodNotAllowed(methods)
        raise HTTPException(404)

    def _methods(self, path: str) -> set[str]:
        """Returns the methods of all routes with this path."""
        if path in self._exact_paths:
            return {method for method, exact in self._exact if exact == path}
        return {route.method for route in self.routes if route.binding.path_names and route.pattern.fullmatch(path)}


def _pattern(path: str) -> re.Pattern[str]:
    """Returns the pattern of a path. A parameter whose name ends in `_path` may consist of several segments."""
    parts = PARAMETER.split(path)  # texts and names of parameters, alternating
    named = (f"(?P<{part}>{'.+' if part.endswith('_path') else '[^/]+'})" for part in parts[1::2])
    texts = map(re.escape, parts[::2])
    return re.compile("".join(piece for pair in zip_longest(texts, named, fillvalue="") for piece in pair))


def _keep_segments(raw: bytes) -> str:
    """Splits the raw path before decoding it, so that a slash sent as %2F does not separate segments."""
    return "/".join(unquote(part.decode("latin-1")).replace("/", SLASH) for part in raw.split(b"/"))


def _prefix(path: str) -> tuple[str, ...]:
    """Returns the first two segments of a route's path, or one if the second is a parameter."""
    first, second = _first_two(path)
    return (first,) if PARAMETER.fullmatch(second) else (first, second)


def _first_two(path: str) -> tuple[str, str]:
    first, _, rest = path.removeprefix("/").partition("/")
    return first, rest.partition("/")[0]
