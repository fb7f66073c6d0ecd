"""Functions shared by all kinds of credentials."""

from uuid import UUID

from fastapi import Request

from tenuto.model.errors import RateLimited, Unauthorized


def bearer(request: Request, hint: str) -> str:
    """Returns the credential of the `Authorization: Bearer …` header; `hint` says what to send if there is none."""
    scheme, _, text = request.headers.get("authorization", "").partition(" ")
    if scheme and scheme.lower() != "bearer":
        raise Unauthorized("`Bearer ` is missing before the credential", hint)
    if not text.strip():
        raise Unauthorized("no credential was sent", hint)
    return text.strip()


def remember_principal(request: Request, kind: str, id: UUID) -> None:
    """Remember the principal for the request log. Called before the permission check, so that the log can name a
    refused caller."""
    request.scope["tenuto.who"] = (kind, id)


def request_origin(request: Request) -> dict[str, str | None]:
    """Returns where the request came from, as fields of the audit log."""
    return {
        "ip": request.client.host if request.client else None,
        "user_agent": request.headers.get("user-agent"),
        "request_id": request.scope["request_id"],
    }


class TooManyRequests(RateLimited):
    """The caller is over its rate limit."""

    def __init__(self, who: str, retry_after: float) -> None:
        super().__init__(f"{who} has sent too many requests", f"try again in {retry_after:.3f} s")
        self.retry_after = retry_after
