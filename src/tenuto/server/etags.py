"""Answers with a tag: whoever has this very one already is told so, and gets nothing."""

from hashlib import blake2b

from fastapi import Request, Response
from pydantic import BaseModel


def tagged(request: Request, answer: BaseModel) -> Response:
    """The answer as JSON with its `ETag`, or 304 where `If-None-Match` names that."""
    content = answer.model_dump_json().encode()
    tag = f'"{blake2b(content, digest_size=16).hexdigest()}"'
    known = request.headers.get("if-none-match", "")
    if known and (known == "*" or tag in (one.strip().removeprefix("W/") for one in known.split(","))):
        return Response(None, 304, {"ETag": tag})
    return Response(content, 200, {"ETag": tag}, "application/json")
