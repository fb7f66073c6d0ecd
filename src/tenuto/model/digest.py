"""The checksum of a body as RFC 9530 defines it."""

from base64 import b64encode


def content_digest(sha256: bytes) -> str:
    """Returns the `Content-Digest` header of a body with this SHA-256."""
    return f"sha-256=:{b64encode(sha256).decode()}:"
