"""Error responses as RFC 9457 problems: a stable code, a sentence, a hint, and the request id."""

from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.routing import Match
from starlette.types import ASGIApp, Receive, Scope, Send

from tenuto.db.connection.errors import TimedOut, Unreachable
from tenuto.model.errors import InvalidInput, TenutoError
from tenuto.server.auth.oidc_issuer import IssuerUnavailable
from tenuto.server.http.validation_messages import describe_errors, hint

MEDIA_TYPE = "application/problem+json"
TITLES = {
    400: "bad request", 401: "not logged in", 403: "not allowed", 404: "not found", 405: "method not allowed",
    409: "conflict", 413: "too large", 415: "not JSON", 422: "invalid input", 429: "too many requests",
    500: "internal error", 503: "not available",
}  # fmt: skip

CODES = {404: "not_found", 405: "method_not_allowed", 415: "unsupported_media_type"}


def problem(request: Request, status: int, code: str, detail: str, *, hint: str | None = None, **more: Any) -> Response:
    from fastapi.responses import JSONResponse

    request.scope["tenuto.code"] = code
    headers = {key: more.pop(key) for key in ("WWW-Authenticate", "Retry-After", "Allow") if key in more}
    content = {
        "type": f"https://tenuto.invalid/problems/{code}",
        "title": TITLES.get(status, code.replace("_", " ")),
        "status": status,
        "code": code,
        "detail": detail,
        "request_id": request.scope.get("request_id"),
        **({"hint": hint} if hint else {}),
        **more,
    }
    return JSONResponse(content, status, headers, MEDIA_TYPE)


async def _refused(request: Request, error: TenutoError) -> Response:
    more: dict[str, Any] = {}
    if error.status == 401:
        more["WWW-Authenticate"] = "Bearer"
    if (after := getattr(error, "retry_after", None)) is not None:
        more["Retry-After"] = str(max(1, round(after + 0.5)))
    return problem(request, error.status, error.name, error.message, hint=error.hint, **more)


async def _invalid(request: Request, error: RequestValidationError) -> Response:
    errors = error.errors()[:20]
    described = describe_errors(errors, request.scope.get("route"), error.body)
    detail = "; ".join(f"{error['where']}: {error['what']}" for error in described[:3])
    return problem(request, InvalidInput.status, InvalidInput.name, detail, hint=hint(errors), errors=described)


async def _http(request: Request, error: HTTPException) -> Response:
    more = {"Allow": ", ".join(sorted(_methods(request)))} if error.status_code == 405 else {}
    return problem(request, error.status_code, CODES.get(error.status_code, "bad_request"), error.detail, **more)


async def _unreachable(request: Request, error: Unreachable) -> Response:
    request.scope["tenuto.why"] = error
    more = {"Retry-After": "1"}
    return problem(request, 503, "unavailable", "the database does not answer", hint="try again", **more)


async def _timed_out(request: Request, error: TimedOut) -> Response:
    request.scope["tenuto.why"] = error
    detail, hint = "the database could not do this in time", "ask for less at once, or try again"
    return problem(request, 503, "timeout", detail, hint=hint, **{"Retry-After": "5"})


async def _away(request: Request, error: IssuerUnavailable) -> Response:
    request.scope["tenuto.why"] = error
    more = {"Retry-After": "10"}
    return problem(request, 503, "unavailable", "the OIDC issuer does not answer", hint="try again", **more)


def internal_error(request: Request, error: Exception) -> Response:
    """Respond 500 with nothing but the request id."""
    request.scope["tenuto.mistake"] = error
    return problem(request, 500, "internal", "something went wrong here; the log says what, under the request's id")


HANDLERS: dict[type[Exception], Any] = {
    TenutoError: _refused,
    RequestValidationError: _invalid,
    HTTPException: _http,
    Unreachable: _unreachable,
    TimedOut: _timed_out,
    IssuerUnavailable: _away,
}


class ErrorHandler:
    """Wraps the routes: turns exceptions into responses, unless the response has begun."""

    def __init__(self, app: ASGIApp, handlers: Mapping[Any, Any]) -> None:
        self._app, self._handlers = app, handlers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self._app(scope, receive, send)
        except Exception as error:
            handler = next((found for kind in type(error).__mro__ if (found := self._handlers.get(kind))), None)
            if handler is None or scope["type"] != "http" or "tenuto.status" in scope:
                raise
            response: Response = await handler(Request(scope), error)
            await response(scope, receive, send)


def add_problems(app: FastAPI) -> None:
    """Register the handlers of all errors except internal ones, which RequestMiddleware handles."""
    for kind, handler in HANDLERS.items():
        app.add_exception_handler(kind, handler)


def _methods(request: Request) -> set[str]:
    """Returns the methods of all routes with this path; Starlette names only those of the first one."""
    matching = [route for route in request.app.routes if route.matches(request.scope)[0] is not Match.NONE]
    return {method for route in matching for method in route.methods}
