"""The TypeScript types of the HTTP API, for the dashboard: one interface per schema, and a table of operations."""

import json
import re
from collections.abc import Iterable
from typing import Any

from tenuto.server.http.openapi import describe
from tenuto.server.http.routing import HttpRoute
from tenuto.server.routes import TABLES

HEAD = "// Generated from the OpenAPI document by `make gen`; do not edit.\n"
OTHER_CLIENTS = ("/internal", "/v1/task/", "/ui", "/docs")  # paths that the dashboard does not request
REF = "#/components/schemas/"
SCALARS = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}


def typescript_types() -> str:
    """Return the module with the types."""
    document = describe("Tenuto", "0", [HttpRoute(spec) for table in TABLES for spec in table.specs])
    schemas: dict[str, Any] = document["components"]["schemas"]
    operations = {
        f"{method.upper()} {path}": operation
        for path, methods in document["paths"].items()
        if not path.startswith(OTHER_CLIENTS) and path != "/v1/task"
        for method, operation in methods.items()
    }
    sent = _reachable((operation.get("requestBody") for operation in operations.values()), schemas)
    used = sent | _reachable(operations.values(), schemas)
    parts = [_interface(name, schemas[name], optional=name in sent) for name in sorted(used)]
    table = "".join(_operation(key, operations[key]) for key in sorted(operations))
    return HEAD + "".join(parts) + f"\nexport interface Operations {{\n{table}}}\n"


def _reachable(values: Iterable[Any], schemas: dict[str, Any]) -> set[str]:
    """Return the names of the schemas to which the values refer, directly or through other schemas."""
    found: set[str] = set()
    todo = list(values)
    while todo:
        for name in re.findall(f'"{REF}([^"]+)"', json.dumps(todo.pop())):
            if name not in found:
                found.add(name)
                todo.append(schemas[name])
    return found


def _interface(name: str, schema: dict[str, Any], *, optional: bool) -> str:
    if "properties" not in schema:
        return f"\nexport type {name} = {_type(schema)};\n"
    required = set(schema.get("required", [])) if optional else set(schema["properties"])
    rows = "".join(
        f"  {_key(field)}{'' if field in required else '?'}: {_type(value)};\n"
        for field, value in schema["properties"].items()
    )
    return f"\nexport interface {name} {{\n{rows}}}\n"


def _operation(key: str, operation: dict[str, Any]) -> str:
    rows = [
        *_parameters("path", operation),
        *_parameters("query", operation),
        f"    body: {_type(_content(operation.get('requestBody', {})), 'undefined')};\n",
        f"    response: {_response(operation['responses'])};\n",
    ]
    return f'  "{key}": {{\n{"".join(rows)}  }};\n'


def _parameters(kind: str, operation: dict[str, Any]) -> list[str]:
    """Return the rows of the parameters of one kind: `path` or `query`."""
    parameters = [parameter for parameter in operation.get("parameters", []) if parameter["in"] == kind]
    if not parameters:
        return [f"    {kind}: Record<string, never>;\n"]
    rows = [
        f"      {_key(parameter['name'])}{'' if parameter['required'] else '?'}: {_type(parameter['schema'])};\n"
        for parameter in parameters
    ]
    return [f"    {kind}: {{\n", *rows, "    };\n"]


def _response(responses: dict[str, Any]) -> str:
    types = {_type(_content(response), "undefined") for status, response in responses.items() if status < "300"}
    return " | ".join(sorted(types)) or "undefined"


def _content(part: dict[str, Any]) -> dict[str, Any] | None:
    return part.get("content", {}).get("application/json", {}).get("schema")


def _type(schema: dict[str, Any] | None, missing: str = "unknown") -> str:
    if schema is None:
        return missing
    if "$ref" in schema:
        return str(schema["$ref"]).removeprefix(REF)
    for union in ("anyOf", "oneOf"):
        if union in schema:
            return " | ".join(dict.fromkeys(_type(option) for option in schema[union]))
    if "const" in schema or "enum" in schema:
        return " | ".join(json.dumps(value) for value in schema.get("enum", [schema.get("const")]))
    kind = schema.get("type")
    if isinstance(kind, list):
        return " | ".join(_type({**schema, "type": one}) for one in kind)
    if kind == "array":
        return f"Array<{_type(schema.get('items'))}>"
    if kind == "object":
        values = schema.get("additionalProperties")
        return f"Record<string, {_type(values if isinstance(values, dict) else None)}>"
    return SCALARS.get(kind or "", "unknown")


def _key(name: str) -> str:
    return name if re.fullmatch(r"\w+", name) else json.dumps(name)
