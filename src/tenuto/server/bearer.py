"""The credential of a request, whoever it speaks of."""

from fastapi import Request

from tenuto.model.errors import Unauthorized


def bearer(request: Request, say: str) -> str:
    """What the header `Authorization: Bearer …` holds; `say` tells who has none what to send."""
    scheme, _, text = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not text.strip():
        raise Unauthorized("no credential was sent", say)
    return text.strip()
