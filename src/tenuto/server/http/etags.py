"""Responses with an ETag: a client that already has the current version gets 304 without a body."""

from dataclasses import fields
from datetime import datetime
from hashlib import blake2b
from typing import TYPE_CHECKING, get_args

from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response

from tenuto.db.connection.json_rows import Fields, Written

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def tagged(request: Request, text: str) -> Response:
    """Returns the JSON text with its `ETag`, or 304 if `If-None-Match` contains that tag."""
    content = text.encode()
    tag = f'"{blake2b(content, digest_size=16).hexdigest()}"'
    known = request.headers.get("if-none-match", "")
    if known and (known == "*" or tag in (value.strip().removeprefix("W/") for value in known.split(","))):
        return Response(None, 304, {"ETag": tag})
    return Response(content, 200, {"ETag": tag}, "application/json")


def fields_of(model: "type[BaseModel | DataclassInstance]") -> Fields:
    """Returns the fields of a response, each with the format in which its values are written. The database writes only
    these fields, so that no other field is exposed by accident."""
    if issubclass(model, BaseModel):
        return tuple((name, _written(field.annotation)) for name, field in model.model_fields.items())
    return tuple((field.name, _written(field.type)) for field in fields(model))


def _written(annotation: object) -> Written:
    kinds = get_args(annotation) or (annotation,)
    return "moment" if datetime in kinds else "plain"
