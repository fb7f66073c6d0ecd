"""The checksum of what is sent, as RFC 9530 writes it."""

from base64 import b64encode


def content_digest(sha256: bytes) -> str:
    """The header `Content-Digest` of a body with this SHA-256."""
    return f"sha-256=:{b64encode(sha256).decode()}:"
