"""Error responses as RFC 9457 problems: a stable code, a sentence, a hint, and the request id."""

from collections.abc import Mapping, Sequence
from typing import Any

from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from tenuto.dag.problems import DagProblem, InvalidDag
from tenuto.db.connection.errors import RowRejected, TimedOut, Unreachable
from tenuto.model.errors import InvalidInput, TenutoError
from tenuto.model.statuses import ProblemCode
from tenuto.server.auth.oidc_issuer import IssuerUnavailable
from tenuto.server.http.request_log import RequestRecord
from tenuto.server.http.validation_messages import describe_errors, hint
from tenuto.storage.base import StorageProblem

MEDIA_TYPE = "application/problem+json"
TITLES = {
    400: "bad request", 401: "unauthorized", 403: "not allowed", 404: "not found", 405: "method not allowed",
    409: "conflict", 413: "too large", 415: "not JSON", 422: "invalid input", 429: "too many requests",
    500: "internal error", 503: "not available",
}  # fmt: skip

CODES: dict[int, ProblemCode] = {404: "not_found", 405: "method_not_allowed", 415: "unsupported_media_type"}
MAX_ERRORS = 20  # maximum number of errors in one response
MAX_DAG_ERRORS = 1000  # maximum number of problems of a DAG document in one response
# Texts are cut, because they may repeat what this client sent, or what another client stored.
MAX_DETAIL_CHARS = 2000
MAX_ERROR_CHARS = 500  # of each text of one error


class InvalidRequest(Exception):
    """The path, the query or the body of a request is not valid. Has Pydantic's errors, and the body as it was sent."""

    def __init__(self, errors: Sequence[dict[str, Any]], body: object) -> None:
        super().__init__()
        self.errors, self.body = errors, body


class MethodNotAllowed(HTTPException):
    """The path exists, but only with these methods."""

    def __init__(self, methods: set[str]) -> None:
        super().__init__(405, headers={"Allow": ", ".join(sorted(methods))})


def problem(
    record: RequestRecord,
    status: int,
    code: ProblemCode,
    detail: str,
    *,
    hint: str | None = None,
    headers: dict[str, str] | None = None,
    errors: Sequence[Mapping[str, str | int]] | None = None,
    more_errors: int = 0,
) -> Response:
    """Returns the error response, and stores its code in `record` for the request log. `more_errors`: the number of
    errors that `errors` leaves out."""
    record.code = code
    content: dict[str, Any] = {
        "type": f"urn:tenuto:problem:{code}",
        "title": TITLES.get(status, code.replace("_", " ")),
        "status": status,
        "code": code,
        "detail": _cut(detail, MAX_DETAIL_CHARS),
        "request_id": record.request_id,
    }
    if hint:
        content["hint"] = _cut(hint, MAX_DETAIL_CHARS)
    if errors:
        content["errors"] = [
            {name: _cut(value, MAX_ERROR_CHARS) if isinstance(value, str) else value for name, value in error.items()}
            for error in errors
        ]
    if more_errors:
        content["more_errors"] = more_errors
    return JSONResponse(content, status, headers, MEDIA_TYPE)


def error_response(record: RequestRecord, error: Exception, known_fields: Sequence[str]) -> Response | None:
    """Returns the response to an error, or None for an internal error, which RequestMiddleware handles. `known_fields`
    are the fields that the request may have, for suggestions."""
    match error:
        case InvalidDag():
            found = [_dag_error(item) for item in error.problems[:MAX_DAG_ERRORS]]
            detail, more = "; ".join(map(str, error.problems[:3])), len(error.problems) - len(found)
            return problem(record, error.status, error.name, detail, errors=found, more_errors=more)
        case TenutoError():
            return problem(
                record, error.status, error.name, error.message, hint=error.hint, headers=_refusal_headers(error)
            )
        case InvalidRequest():
            errors = error.errors[:MAX_ERRORS]
            described = describe_errors(errors, known_fields, error.body)
            detail = "; ".join(f"{field['where']}: {field['what']}" for field in described[:3])
            more, kind = len(error.errors) - len(errors), InvalidInput
            return problem(
                record, kind.status, kind.name, detail, hint=hint(errors), errors=described, more_errors=more
            )
        case HTTPException():
            code = CODES.get(error.status_code, "bad_request")
            return problem(record, error.status_code, code, error.detail, headers=dict(error.headers or {}))
        case TimedOut():
            detail, try_less = "the database did not finish this request in time", "request less at once, or try again"
            return _unavailable(record, error, "timeout", detail, try_less, seconds=5)
        case Unreachable():
            return _unavailable(record, error, "unavailable", "the database does not respond", "try again", seconds=1)
        case RowRejected():
            record.internal_error = error
            detail = "the database rejects a row; the log of the server has the details under the id of this request"
            return problem(record, 500, "row_rejected", detail)
        case StorageProblem():
            detail = "the object store does not respond, or refuses this; the log of the server says why"
            return _unavailable(record, error, "unavailable", detail, "try again", seconds=5)
        case IssuerUnavailable():
            detail = "the OIDC issuer does not respond, or not as expected; the log of the server says why"
            return _unavailable(record, error, "unavailable", detail, "try again", seconds=10)
        case _:
            return None


def _cut(text: str, max_chars: int) -> str:
    return text if len(text) <= max_chars else f"{text[: max_chars - 1]}…"


def _dag_error(item: DagProblem) -> dict[str, str | int]:
    what = f"{item.message}; {item.hint}" if item.hint else item.message
    return {"where": item.path, "what": what, "line": item.line, "column": item.column}


def _refusal_headers(error: TenutoError) -> dict[str, str]:
    headers: dict[str, str] = {}
    if error.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    if (after := getattr(error, "retry_after", None)) is not None:
        headers["Retry-After"] = str(max(1, round(after + 0.5)))
    return headers


def _unavailable(
    record: RequestRecord, error: Exception, code: ProblemCode, detail: str, hint: str, *, seconds: int
) -> Response:
    record.cause = error
    return problem(record, 503, code, detail, hint=hint, headers={"Retry-After": str(seconds)})


def internal_error(record: RequestRecord, error: Exception) -> Response:
    """Returns a response with status 500 that has no details but the request id."""
    record.internal_error = error
    return problem(record, 500, "internal", "the server failed; its log has the details under the id of this request")
