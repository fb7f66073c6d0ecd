"""Verifies ID tokens: the issuer's signature, the audience and the expiry."""

from dataclasses import dataclass
from typing import Any

import jwt

from tenuto.model.errors import Unauthorized
from tenuto.server.auth.oidc_issuer import Issuer
from tenuto.server.settings import ALGORITHMS

MAX_TOKEN_CHARS = 16_384
REQUIRED_CLAIMS = ["iss", "aud", "sub", "exp"]
LOG_IN = "log in again and send the new token"


@dataclass(frozen=True)
class Claims:
    """The subject of a verified token, and all of its claims."""

    subject: str
    fields: dict[str, Any]

    def text(self, name: str, max_chars: int) -> str | None:
        """Return a claim if it is a text that Postgres can store, with at most `max_chars` characters; else None."""
        value = self.fields.get(name)
        return value if isinstance(value, str) and _is_storable(value, max_chars) else None


def looks_like_token(text: str) -> bool:
    """Returns whether the text has the three parts of a JWT; API keys have no dots."""
    return text.count(".") == 2


async def read_token(issuer: Issuer, text: str, *, audience: str) -> Claims:
    """Returns the claims of a token; raises Unauthorized if the token fails a check. The server decides which
    algorithms and keys it accepts, not the token."""
    if len(text) > MAX_TOKEN_CHARS:
        raise Unauthorized(f"the token has more than {MAX_TOKEN_CHARS} characters", LOG_IN)
    try:
        header = jwt.get_unverified_header(text)
        algorithm, kid = header.get("alg"), header.get("kid")
        if algorithm not in ALGORITHMS:
            raise Unauthorized(
                "the signature algorithm of the token is not accepted", f"accepted algorithms are {ALGORITHMS}"
            )
        if not isinstance(kid, str) or not kid:
            raise Unauthorized("the token header has no key id", "configure the issuer to write `kid` into the header")
        key = await issuer.key(kid)
        if key is None:
            raise Unauthorized("the token was signed with a key that is not the issuer's", LOG_IN)
        if key.algorithm not in (None, algorithm):
            raise Unauthorized(f"the token's key is for {key.algorithm}, not {algorithm}", LOG_IN)
        claims = jwt.decode(
            text,
            key.public,
            algorithms=[algorithm],
            audience=audience,
            issuer=issuer.settings.issuer,
            leeway=issuer.settings.leeway,
            options={"require": REQUIRED_CLAIMS},
        )
    except (jwt.PyJWTError, ValueError, TypeError, OverflowError, RecursionError) as error:
        what = str(error) if isinstance(error, jwt.PyJWTError) else "it cannot be read"
        raise Unauthorized(f"the token is not accepted: {what}", LOG_IN) from error
    subject = claims["sub"]
    if not _is_storable(subject, 256):
        raise Unauthorized("the token's subject is not a text of 1 to 256 characters", LOG_IN)
    return Claims(subject, claims)


def _is_storable(text: str, max_chars: int) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return 0 < len(text) <= max_chars and "\x00" not in text
