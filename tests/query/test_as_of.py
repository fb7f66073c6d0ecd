"""The forms of `as_of`, and what an error says to write."""

import pytest

from tenuto.model.errors import InvalidInput
from tenuto.query.as_of import parse_as_of


@pytest.mark.parametrize(
    ("text", "instead"),
    [
        ("2025-11-17", "2025-11-17T00:00Z"),
        ("2025-11-17 12:30", "2025-11-17T12:30Z"),
        ("2025-11-17T12:30:05.25", "2025-11-17T12:30:05.250000Z"),
    ],
)
def test_a_time_without_a_zone_is_refused_with_a_form_that_works(text: str, instead: str) -> None:
    with pytest.raises(InvalidInput, match=f"write {instead} for UTC"):
        parse_as_of(text)
    at = parse_as_of(instead).at
    assert at is not None
    assert at.isoformat().startswith(instead.removesuffix("Z"))
