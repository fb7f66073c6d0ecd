"""The OpenAPI 3.1 document: FastAPI's description of the routes, with the error responses of every route."""

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from tenuto.server.schemas.base import Problem

PROBLEM = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
SCHEMES = {
    "api_key": "An API key (tn_…), or a token of the OIDC issuer that people log in with",
    "worker_key": "A worker key: tnw_…",
    "task_token": "The token of a running attempt, as its worker got it: a JWT",
}
AFTER = {"Retry-After": {"description": "Seconds to wait", "required": True, "schema": {"type": "integer"}}}
HEADERS: dict[str, dict[str, Any]] = {
    "401": {"WWW-Authenticate": {"description": "Bearer", "required": True, "schema": {"type": "string"}}},
    "429": AFTER,
    "503": AFTER,
}


def describe(app: FastAPI) -> dict[str, Any]:
    """Builds the document once. Every error response is a Problem, whatever FastAPI declares."""
    if app.openapi_schema is None:
        schema = get_openapi(title=app.title, version=app.version, openapi_version="3.1.0", routes=app.routes)
        components = schema.setdefault("components", {})
        components["securitySchemes"] = {
            name: {"type": "http", "scheme": "bearer", "description": text} for name, text in SCHEMES.items()
        }
        for name in ("HTTPValidationError", "ValidationError"):
            components.get("schemas", {}).pop(name, None)
        components.setdefault("schemas", {})["Problem"] = Problem.model_json_schema(mode="serialization")
        for methods in schema["paths"].values():
            for operation in methods.values():
                _name_problems(operation["responses"])
        app.openapi_schema = schema
    return app.openapi_schema


def _name_problems(responses: dict[str, Any]) -> None:
    for status, response in responses.items():
        if status >= "400":
            response["content"] = PROBLEM
            response.update({"headers": HEADERS[status]} if status in HEADERS else {})
