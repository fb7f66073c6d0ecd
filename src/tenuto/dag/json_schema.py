"""The JSON Schema of DAG documents, for editors and for the reference page."""

from tenuto.dag.document_fields import DocumentFields
from tenuto.model.json import Json, JsonObject


def json_schema() -> JsonObject:
    """Returns the schema. It does not contain rules about several fields at once. `tenuto validate` checks these rules
    too."""
    schema = DocumentFields.model_json_schema(by_alias=True)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Tenuto DAG",
        **{name: _plain(value) for name, value in schema.items() if name != "title"},
    }


def _plain(value: Json) -> Json:
    """Removes titles, which only repeat the names of classes and fields."""
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items() if name != "title" or isinstance(item, dict)}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value
