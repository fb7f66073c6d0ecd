"""Task tokens: signed JWTs (ES256) that identify one attempt. SQL decides whether that attempt is still held."""

from collections.abc import Mapping
from uuid import UUID

import jwt
from jwt.types import Options

from tenuto.model.errors import Unauthorized
from tenuto.model.json import JsonObject
from tenuto.model.principals import TaskPrincipal
from tenuto.model.signing import SigningKey

ALGORITHM = "ES256"
AUDIENCE = "tenuto:task"
MAX_LIFETIME_SECONDS = 24 * 3600.0
AFTER_TIMEOUT_SECONDS = 300.0  # lets an attempt send its last reports after its timeout
CLOCK_SKEW_SECONDS = 30.0  # allowed difference between the clocks of two servers

TOKEN_HINT = "send the header `Authorization: Bearer …` with the token of a running attempt"  # noqa: S105 - no secret


def lifetime(timeout_seconds: float | None) -> float:
    """Returns for how many seconds the token of an attempt is valid, from the timeout of the attempt."""
    return (
        MAX_LIFETIME_SECONDS
        if timeout_seconds is None
        else min(MAX_LIFETIME_SECONDS, timeout_seconds + AFTER_TIMEOUT_SECONDS)
    )


def make_task_token(key: SigningKey, token: TaskPrincipal, *, now: float, seconds: float) -> str:
    claims: JsonObject = {
        "aud": AUDIENCE,
        "iat": int(now),
        "exp": int(now + seconds),
        "org": str(token.org_id),
        "task": str(token.task_id),
        "attempt": token.attempt,
        "session": token.session_id,
        "run": str(token.run_id),
    }
    if token.reads is not None and token.writes is not None:
        claims |= {"reads": [*sorted(token.reads)], "writes": [*sorted(token.writes)]}
    return jwt.encode(claims, key.private, algorithm=ALGORITHM, headers={"kid": key.id})


def key_id_of(text: str) -> str:
    """Returns the id of the signing key in the token's header, without verifying the token. Raises Unauthorized if
    there is none."""
    try:
        kid = jwt.get_unverified_header(text).get("kid")
    except jwt.PyJWTError as error:
        raise Unauthorized("the credential is not a task token", TOKEN_HINT) from error
    if not isinstance(kid, str):
        raise Unauthorized("the credential is not a task token: it names no signing key", TOKEN_HINT)
    return kid


def read_task_token(text: str, public_keys: Mapping[str, JsonObject], *, now: float) -> TaskPrincipal:
    """Returns the attempt that a token identifies. `public_keys`: the public keys by id. Raises Unauthorized if none of
    these keys signed the token, or if the token has expired."""
    public = public_keys.get(key_id_of(text))
    if public is None:
        raise Unauthorized("the task token was signed with a key that no longer exists", TOKEN_HINT)
    options: Options = {"require": ["aud", "iat", "exp"], "verify_exp": False, "verify_iat": False}
    try:
        claims = jwt.decode(
            text, jwt.PyJWK(public, ALGORITHM).key, algorithms=[ALGORITHM], options=options, audience=AUDIENCE
        )
        if not now < float(claims["exp"]) + CLOCK_SKEW_SECONDS:
            raise Unauthorized("the task token has expired", "set a longer timeout for attempts that need more time")
        ids = [UUID(claims[name]) for name in ("org", "task", "run")]
        lists = [frozenset(map(str, claims[name])) if name in claims else None for name in ("reads", "writes")]
        return TaskPrincipal(ids[0], ids[1], int(claims["attempt"]), int(claims["session"]), ids[2], *lists)
    except (jwt.PyJWTError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise Unauthorized(
            "the task token is not valid: its signature is wrong, or a JWT claim is missing or wrong", TOKEN_HINT
        ) from error
