"""Answers with a tag: whoever has this very one already is told so, and gets nothing."""

from datetime import datetime, timedelta
from hashlib import blake2b
from typing import get_args

from fastapi import Request, Response
from pydantic import BaseModel

from tenuto.db.connection.json_rows import Fields, Written


def tagged(request: Request, text: str) -> Response:
    """The answer as JSON with its `ETag`, or 304 where `If-None-Match` names that."""
    content = text.encode()
    tag = f'"{blake2b(content, digest_size=16).hexdigest()}"'
    known = request.headers.get("if-none-match", "")
    if known and (known == "*" or tag in (one.strip().removeprefix("W/") for one in known.split(","))):
        return Response(None, 304, {"ETag": tag})
    return Response(content, 200, {"ETag": tag}, "application/json")


def fields_of(answer: type[BaseModel]) -> Fields:
    """What the model names, which the database writes: nothing is shown by accident."""
    return tuple((name, _written(field.annotation)) for name, field in answer.model_fields.items())


def _written(annotation: object) -> Written:
    kinds = get_args(annotation) or (annotation,)
    return "moment" if datetime in kinds else "seconds" if timedelta in kinds else "plain"
