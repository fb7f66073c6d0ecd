"""Signed deliveries: the secret of a destination, how it is stored, and the signature of a request."""

import base64
import hmac
import os
import re
import secrets
from urllib.parse import urlsplit
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from tenuto.model.errors import InvalidInput
from tenuto.model.keys import Peppers

EFFECT_HEADER = "Tenuto-Effect"
TIMESTAMP_HEADER = "Tenuto-Timestamp"
SIGNATURE_HEADER = "Tenuto-Signature"
MAX_URL_BYTES = 2048
NONCE_BYTES = 12
COMMAND_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")  # the name of a command in TENUTO_NOTIFY_COMMANDS
ADDRESS = re.compile(r"[A-Za-z0-9_+-][A-Za-z0-9._%+-]{0,63}@[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?")
FILE_URL = re.compile(r"file:[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")  # a file in the folder TENUTO_LINEAGE_FOLDER


def make_secret() -> str:
    """Returns a new random secret, in the form in which it is shown once."""
    return "tns_" + base64.urlsafe_b64encode(secrets.token_bytes(32)).rstrip(b"=").decode()


def encrypt_secret(secret: str, org_id: UUID, name: str, peppers: Peppers) -> bytes:
    """Returns the encrypted secret, as the table `destinations` stores it: AES-GCM with a key derived from the newest
    pepper. It can be decrypted only for the same org and destination."""
    nonce = os.urandom(NONCE_BYTES)
    return nonce + AESGCM(_wrapping_key(peppers.values[0])).encrypt(nonce, secret.encode(), _bound_to(org_id, name))


def decrypt_secret(data: bytes, org_id: UUID, name: str, peppers: Peppers) -> str:
    """Decrypts a stored secret, with any of the peppers in use. Raises InvalidInput if none of them fits."""
    for pepper in peppers.values:
        try:
            cipher = AESGCM(_wrapping_key(pepper))
            plain = cipher.decrypt(data[:NONCE_BYTES], data[NONCE_BYTES:], _bound_to(org_id, name))
        except InvalidTag:
            continue
        return plain.decode()
    raise InvalidInput(
        f"the secret of destination {name} was encrypted under another pepper",
        "set TENUTO_PEPPER to the pepper of the server or command that declared it",
    )


def signature(secret: str, timestamp: int, body: bytes) -> str:
    """Returns the value of the signature header: HMAC-SHA-256 over `<timestamp>.<body>`."""
    return "v1=" + hmac.new(secret.encode(), f"{timestamp}.".encode() + body, "sha256").hexdigest()


def check_destination_url(url: str, *, openlineage: bool = False) -> None:
    """Raises InvalidInput for a URL that cannot be a destination. The network address of the host is checked only at
    each delivery. A destination of OpenLineage events can also be a file. A destination of effects can also be an
    e-mail address or a declared command."""
    if FILE_URL.fullmatch(url) if openlineage else _is_notice(url):
        return
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 - raises ValueError for a port that is not a number
    except ValueError as error:
        raise InvalidInput(f"{url[:100]!r} is not a URL", "write https://host/path") from error
    if parts.scheme not in ("http", "https") or not parts.hostname or len(url.encode()) > MAX_URL_BYTES:
        raise InvalidInput(
            f"{url[:100]!r} is not the URL of a destination",
            f"write https://host/path with at most {MAX_URL_BYTES:,} bytes"
            + ("; or file:NAME" if openlineage else "; or mailto:ADDRESS, or command:NAME"),
        )
    if parts.username is not None or parts.fragment:
        raise InvalidInput(
            "the URL of a destination has a user name or a fragment",
            "write https://host/path; the receiver recognizes requests of Tenuto by their signature",
        )


def _is_notice(url: str) -> bool:
    scheme, _, rest = url.partition(":")
    pattern = {"mailto": ADDRESS, "command": COMMAND_NAME}.get(scheme)
    return pattern is not None and pattern.fullmatch(rest) is not None


def _bound_to(org_id: UUID, name: str) -> bytes:
    return f"{org_id}/{name}".encode()


def _wrapping_key(pepper: bytes) -> bytes:
    return HKDF(hashes.SHA256(), 32, salt=None, info=b"tenuto destinations").derive(pepper)
