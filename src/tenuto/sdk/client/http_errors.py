"""What a server answered instead of an answer, as the exception that SQL would have raised."""

import json
from typing import Any, cast

from tenuto.db.connection.errors import Unreachable
from tenuto.model.errors import ERRORS, TenutoError

BY_NAME = {error.name: error for error in ERRORS}


def refusal(where: str, status: int, body: bytes) -> TenutoError | Unreachable:
    """Of an answer that is no success; `where` names the server. What may pass by itself is Unreachable."""
    said = _problem(body)
    known = BY_NAME.get(str(said.get("code")))
    if known is not None and status < 500:
        return known(str(said.get("detail")), said.get("hint"))
    if said:
        return Unreachable(f"{where} answers {status}: {said.get('detail')}")
    if status < 500:
        return Unreachable(f"{where} answers {status} as no Tenuto server does: is the address right?")
    return Unreachable(f"{where} answers {status}")


def _problem(body: bytes) -> dict[str, Any]:
    try:
        said: Any = json.loads(body)
    except ValueError:
        return {}
    return cast("dict[str, Any]", said) if isinstance(said, dict) and "code" in said else {}
