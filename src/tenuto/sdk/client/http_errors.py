"""Converts HTTP error responses to the exceptions that the SQL functions would raise."""

import json
from typing import Any, cast

from tenuto.db.connection.errors import RowRejected, Unreachable
from tenuto.model.errors import ERRORS, TenutoError

ROW_REJECTED = "row_rejected"  # the code of a problem that a row of the database causes
BY_NAME = {error.name: error for error in ERRORS}


def refusal(where: str, status: int, body: bytes) -> TenutoError | Unreachable | RowRejected:
    """Return the exception for an error response; `where` names the server. Temporary problems become Unreachable."""
    problem = _problem(body)
    known = BY_NAME.get(str(problem.get("code")))
    if known is not None and status < 500:
        return known(str(problem.get("detail")), problem.get("hint"))
    if problem.get("code") == ROW_REJECTED:
        return RowRejected(f"{where}: {problem.get('detail')}")
    if problem:
        return Unreachable(f"{where} responded with {status}: {problem.get('detail')}")
    if status < 500:
        return Unreachable(f"{where} responded with {status}, which a Tenuto server never does; check the address")
    return Unreachable(f"{where} responded with {status}")


def _problem(body: bytes) -> dict[str, Any]:
    try:
        document: Any = json.loads(body)
    except ValueError:
        return {}
    return cast("dict[str, Any]", document) if isinstance(document, dict) and "code" in document else {}
