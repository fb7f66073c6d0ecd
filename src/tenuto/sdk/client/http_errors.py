"""Converts HTTP error responses to the exceptions that the SQL functions would raise."""

import json

from tenuto.db.connection.errors import RowRejected, Unreachable
from tenuto.model.errors import ERRORS, TenutoError
from tenuto.model.json import Json, JsonObject

ROW_REJECTED = "row_rejected"  # the code of an error that one row of the database causes
BY_NAME = {error.name: error for error in ERRORS}


def refusal(where: str, status: int, body: bytes) -> TenutoError | Unreachable | RowRejected:
    """Return the exception for an error response; `where` names the server. The code in the body selects the exception.
    Without a known code, or with a status of 500 or above, the exception is Unreachable. The code `row_rejected` always
    becomes RowRejected."""
    problem = _problem(body)
    hint = problem.get("hint")
    known = BY_NAME.get(str(problem.get("code")))
    if known is not None and status < 500:
        return known(str(problem.get("detail")), hint if isinstance(hint, str) else None)
    if problem.get("code") == ROW_REJECTED:
        return RowRejected(f"{where}: {problem.get('detail')}")
    if problem:
        return Unreachable(f"{where} responded with {status}: {problem.get('detail')}")
    if status < 500:
        return Unreachable(f"{where} responded with {status}, which a Tenuto server never does; check the address")
    return Unreachable(f"{where} responded with {status}")


def _problem(body: bytes) -> JsonObject:
    try:
        document: Json = json.loads(body)
    except ValueError:
        return {}
    return document if isinstance(document, dict) and "code" in document else {}
