"""Validation messages for API clients. Pydantic's messages are written for developers of the model."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from tenuto.model.similar_names import most_similar

MOMENT = "is {got}, not a time; write it as 2026-01-31T12:00:00Z"
MESSAGES = {
    "missing": "is missing",
    "string_type": "is {got}, not a text",
    "string_too_short": "has fewer than {min_length} characters",
    "string_too_long": "has more than {max_length} characters",
    "string_pattern_mismatch": "does not match the pattern {pattern}",
    "int_type": "is {got}, not a whole number",
    "int_from_float": "is {got}, not a whole number",
    "int_parsing": "is {got}, not a whole number",
    "float_type": "is {got}, not a number",
    "float_parsing": "is {got}, not a number",
    "finite_number": "is not a finite number",
    "bool_type": "is {got}, not true or false",
    "bool_parsing": "is {got}, not true or false",
    "list_type": "is {got}, not a list",
    "dict_type": "is {got}, not an object",
    "model_type": "is {got}, not an object",
    "model_attributes_type": "is {got}, not an object",
    "uuid_type": "is {got}, not an id",
    "uuid_parsing": "is {got}, not an id; write one as 0190a5d0-7c2e-7a50-8c3b-3c2f1e0d9a8b",
    "datetime_type": MOMENT,
    "datetime_parsing": MOMENT,
    "datetime_from_date_parsing": MOMENT,
    "timezone_aware": "has no time zone; write it as 2026-01-31T12:00:00Z",
    "greater_than": "is {got}; write more than {gt}",
    "greater_than_equal": "is {got}; write {ge} or more",
    "less_than": "is {got}; write less than {lt}",
    "less_than_equal": "is {got}; write {le} or less",
    "too_short": "has {actual_length} items; write {min_length} or more",
    "too_long": "has more than {max_length} items",
    "value_error": "{error}",
}
BOUNDS = {"greater_than", "greater_than_equal", "less_than", "less_than_equal"}
OF_STARTS = 'write {"type": "app.task", "input": {…}}, or {"graph": {"tasks": {…}}}'


def describe_errors(errors: Iterable[Mapping[str, Any]], fields: Sequence[str], sent: object) -> list[dict[str, str]]:
    """Returns one message per field. `fields` are the fields that the request may have. For a field that accepts
    several types, the message lists all of them."""
    messages: dict[str, str] = {}
    for error in errors:
        where, what = _where(error, sent), _describe(error, fields)
        before, _, other = messages.get(where, ""), *what.partition(", not ")[1:]
        messages[where] = f"{before} or {other}" if ", not " in before and other else before or what
    return [{"where": where, "what": what} for where, what in messages.items()]


def hint(errors: Iterable[Mapping[str, Any]]) -> str | None:
    """Returns a hint for a start without a type, which may have been meant as a graph; None for all other errors."""
    starts = (error["type"] == "missing" and tuple(error["loc"]) == ("body", "task", "type") for error in errors)
    return OF_STARTS if any(starts) else None


def _where(error: Mapping[str, Any], sent: object) -> str:
    """Returns the path of the field in the body that the client sent, without the union members that Pydantic adds."""
    place, *parts = error["loc"]
    kept = [str(place)]
    for no, part in enumerate(parts):
        inside = (isinstance(sent, dict) and part in sent) or (isinstance(sent, list) and isinstance(part, int))
        if inside:
            sent = cast("Any", sent)[part]
        if inside or place != "body" or (error["type"] == "missing" and no == len(parts) - 1):
            kept.append(str(part))
    return ".".join(kept)


def _describe(error: Mapping[str, Any], fields: Sequence[str]) -> str:
    """Returns the message. It never repeats a text that the client sent, because the text may be secret. It repeats
    only numbers, even those that arrive as text in the query."""
    kind, value = error["type"], error.get("input")
    if kind == "extra_forbidden":
        return _unknown(str(error["loc"][-1]), fields)
    if kind == "literal_error":
        return _other_word(value, error["ctx"]["expected"])
    template = MESSAGES.get(kind)
    got = value.strip()[:40] if kind in BOUNDS and isinstance(value, str) else _kind(value)
    context = error.get("ctx", {})
    bounds = {name: f"{bound:.15g}" if isinstance(bound, float) else bound for name, bound in context.items()}
    return template.format_map({"got": got, **bounds}) if template else error["msg"]


def _unknown(name: str, fields: Sequence[str]) -> str:
    near = most_similar(name, fields)
    return f"there is no such field; did you mean {near}?" if near else "there is no such field"


def _other_word(value: object, expected: str) -> str:
    words = [word.strip("' ") for word in expected.replace(" or ", ",").split(",")]
    near = most_similar(value, words) if isinstance(value, str) else None
    return f"is not {expected}" + (f"; did you mean {near}?" if near else "")


def _kind(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool() | int() | float():
            return str(value).lower()[:40]
        case str():
            return "a text"
        case list():
            return "a list"
        case _:
            return "an object"
