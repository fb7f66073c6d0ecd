"""Functions shared by all kinds of credentials."""

from dataclasses import dataclass

from tenuto.model.errors import RateLimited, Unauthorized
from tenuto.server.http.request import HttpRequest


def bearer(request: HttpRequest, hint: str) -> str:
    """Returns the credential of the `Authorization: Bearer …` header; `hint` says what to send if there is none."""
    scheme, _, text = request.headers.get("authorization", "").partition(" ")
    if scheme and scheme.lower() != "bearer":
        raise Unauthorized("`Bearer ` is missing before the credential", hint)
    if not text.strip():
        raise Unauthorized("no credential was sent", hint)
    return text.strip()


@dataclass(frozen=True)
class RequestOrigin:
    """Where a request came from, as the audit log has it."""

    ip: str | None
    user_agent: str | None
    request_id: str


def request_origin(request: HttpRequest) -> RequestOrigin:
    ip = request.client.host if request.client else None
    return RequestOrigin(ip, request.headers.get("user-agent"), request.record.request_id)


class TooManyRequests(RateLimited):
    """The caller is over its rate limit."""

    def __init__(self, who: str, retry_after: float) -> None:
        super().__init__(f"{who} asks too often", f"ask again in {retry_after:.3f} s")
        self.retry_after = retry_after
