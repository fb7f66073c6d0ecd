"""Secrets of webhooks, and the signatures of requests to them."""

import base64
import hmac
import time
from uuid import UUID

from tenuto.model.deliveries import SIGNATURE_HEADER, TIMESTAMP_HEADER, signature
from tenuto.model.errors import Unauthorized
from tenuto.model.keys import Peppers
from tenuto.model.webhooks import Webhook, WebhookKey

REPLAY_SECONDS = 300  # requests whose timestamp differs more from the server's clock are refused
SIGN_HINT = (
    f"send {TIMESTAMP_HEADER}: seconds since 1970, and {SIGNATURE_HEADER}: v1=HMAC-SHA-256 of <timestamp>.<body> "
    "under the secret of the webhook, in hex"
)


def webhook_secrets(org_id: UUID, key: WebhookKey | Webhook, peppers: Peppers) -> list[str]:
    """Returns the secret of a webhook for each pepper in use, newest first. Secrets are derived from the pepper and not
    stored."""
    facts = f"tenuto webhook {org_id}/{key.job_key}/{key.rotation}".encode()
    digests = [hmac.digest(pepper, facts, "sha256") for pepper in peppers.values]
    return ["tnh_" + base64.urlsafe_b64encode(digest).rstrip(b"=").decode() for digest in digests]


def check_signature(secrets: list[str], timestamp: str | None, signed: str | None, body: bytes) -> None:
    """Raises Unauthorized unless the body was signed with one of the secrets and the timestamp is at most five minutes
    from the current time."""
    if not timestamp or not signed:
        raise Unauthorized("the request is not signed", SIGN_HINT)
    if not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= 12):
        raise Unauthorized(f"{TIMESTAMP_HEADER} is not a number of seconds", SIGN_HINT)
    if abs(time.time() - int(timestamp)) > REPLAY_SECONDS:
        raise Unauthorized(
            f"the timestamp is more than {REPLAY_SECONDS} seconds from the time of the server",
            "sign each request when it is sent, and check the clock of the sender",
        )
    wanted = [signature(secret, int(timestamp), body).encode() for secret in secrets]
    if not any([hmac.compare_digest(one, signed.encode()) for one in wanted]):  # noqa: C419 - always compares all
        raise Unauthorized("the signature is wrong", SIGN_HINT)
