"""What is the same for everybody who asks, whatever their credential."""

from uuid import UUID

from fastapi import Request

from tenuto.model.errors import RateLimited, Unauthorized


def bearer(request: Request, say: str) -> str:
    """What the header `Authorization: Bearer …` holds; `say` tells who has none what to send."""
    scheme, _, text = request.headers.get("authorization", "").partition(" ")
    if scheme and scheme.lower() != "bearer":
        raise Unauthorized("`Bearer ` is missing before the credential", say)
    if not text.strip():
        raise Unauthorized("no credential was sent", say)
    return text.strip()


def remember_principal(request: Request, kind: str, id: UUID) -> None:
    """Who it is, for the log: known before they are let in, so that it can say whom it refused."""
    request.scope["tenuto.who"] = (kind, id)


def request_origin(request: Request) -> dict[str, str | None]:
    """Where a request came from, as the audit log has it."""
    return {
        "ip": request.client.host if request.client else None,
        "user_agent": request.headers.get("user-agent"),
        "request_id": request.scope["request_id"],
    }


class TooManyRequests(RateLimited):
    """More was asked than somebody may."""

    def __init__(self, who: str, retry_after: float) -> None:
        super().__init__(f"{who} asks too often", f"ask again in {retry_after:.3f} s")
        self.retry_after = retry_after
