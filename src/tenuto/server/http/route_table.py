"""Declares routes in a table. Each route declares the permission it needs, or that it is for workers, for tasks or
public."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from starlette.responses import JSONResponse, Response

from tenuto.model.json import JsonObject
from tenuto.model.permissions import KNOWN
from tenuto.server.auth.authenticate import ANY_PRINCIPAL

PUBLIC = "public"
WORKER = "worker"  # requires a worker key
TASK = "task"  # requires the token of a running attempt
ERRORS = {
    401: "missing or invalid credential", 403: "not allowed", 404: "not found in this org",
    409: "not allowed in the current state", 413: "too large", 415: "the body is not JSON, or is compressed",
    422: "invalid input", 429: "too many requests",
    503: "the database does not respond in time",
}  # fmt: skip

Endpoint = Callable[..., Any]


@dataclass(frozen=True)
class RequestHeader:
    """A header that an endpoint reads."""

    name: str
    description: str
    schema: JsonObject
    required: bool = False


BINARY = {"type": "string", "format": "binary"}
IDEMPOTENCY_KEY = RequestHeader(
    "Idempotency-Key",
    "A text that the client chose for this request. A request with the same text within a day gets the first response "
    "again, and changes nothing.",
    {"type": "string", "minLength": 1, "maxLength": 256},
)
IF_NONE_MATCH = RequestHeader(
    "If-None-Match", "The `ETag` of the version that the client has: 304 if it is current.", {"type": "string"}
)
CONTENT_DIGEST = RequestHeader(
    "Content-Digest", "The SHA-256 hash of the body (RFC 9530): 422 if another body arrives.", {"type": "string"}
)
NOT_MODIFIED = {304: {"description": "the client has the current version"}}


class UndeclaredRoute(Exception):
    """A route declares no permission and is not public either."""


@dataclass(frozen=True)
class RouteSpec:
    """One declared route."""

    method: str
    path: str
    endpoint: Endpoint
    tag: str
    permission: str | None
    response: Any  # the model of the response, or None
    status: int
    bulk: bool
    takes: str | None
    repeatable: bool
    headers: tuple[RequestHeader, ...]
    responses: dict[int | str, dict[str, Any]]
    response_class: type[Response]

    def check(self) -> None:
        """Raise UndeclaredRoute unless the route declares a permission that exists."""
        if self.permission not in {PUBLIC, ANY_PRINCIPAL, WORKER, TASK, *KNOWN}:
            raise UndeclaredRoute(
                f"{self.method} {self.path} declares the permission {self.permission!r}; "
                "write a permission such as runs:read, or WORKER, TASK, ANY_PRINCIPAL or PUBLIC"
            )


class RouteTable:
    """The routes of one context: `@ROUTES.add("GET", "/v1/runs", permission="runs:read")`."""

    def __init__(self, tag: str) -> None:
        self.tag = tag
        self.specs: list[RouteSpec] = []

    def add(
        self,
        method: str,
        path: str,
        *,
        permission: str | None = None,
        response: Any = None,
        status: int = 200,
        bulk: bool = False,
        refuses: Collection[int] = (),
        takes: str | None = None,
        repeatable: bool = True,
        headers: tuple[RequestHeader, ...] = (),
        responses: Mapping[int, dict[str, Any]] | None = None,
        response_class: type[Response] = JSONResponse,
    ) -> Callable[[Endpoint], Endpoint]:
        """Declare a route. If a route has no permission, the server does not start. `response`: the model of the
        response. `bulk`: raises the body limit to 64 MB. `refuses`: the error statuses of a public route. `takes`: the
        media type of a body that is not JSON. `repeatable`: whether a change can be repeated with an Idempotency-Key.
        It is False if nothing is changed, and for responses that must not be stored, such as a new key. `headers`: the
        headers that the endpoint reads. `responses`: descriptions of further statuses or media types.
        `response_class`: the class of a response that is not JSON."""
        guarded = permission != PUBLIC
        changes = method not in ("GET", "HEAD") and permission not in (PUBLIC, WORKER, TASK)
        possible = [code for code in ERRORS if guarded or code == 503 or code in refuses]
        described: dict[int | str, dict[str, Any]] = {code: {"description": ERRORS[code]} for code in possible}
        if responses is not None:
            described |= dict(responses)

        def declare(endpoint: Endpoint) -> Endpoint:
            spec = RouteSpec(
                method=method,
                path=path,
                endpoint=endpoint,
                tag=self.tag,
                permission=permission,
                response=response,
                status=status,
                bulk=bulk,
                takes=takes,
                repeatable=repeatable and changes,
                headers=(*headers, IDEMPOTENCY_KEY) if repeatable and changes else headers,
                responses=described,
                response_class=response_class,
            )
            self.specs.append(spec)
            return endpoint

        return declare
