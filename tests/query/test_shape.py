"""The audit log has the text of a query, and none of its values."""

import pytest

from tenuto.query.shape import shape_of


@pytest.mark.parametrize(
    ("sql", "shape"),
    [
        ("select a, 'x''y' from t where b = 7", "select a, ? from t where b = ?"),
        ("--x\rselect 'secret' as a", "select ? as a"),
        ("/* /* */ ' */ select 'secret' as a", "select ? as a"),
        ("select $a$ x $$ secret $a$ as a", "select ? as a"),
        ("select a$b$ || ' c$b$ secret' as a", "select a$b$ || ? as a"),
        ('select "a" from t where b = "bob@x.org"', 'select "a" from t where b = ?'),
        ("select 'secret", "select ?"),
        ("select 1 /* secret", "select ?"),
    ],
)
def test_no_value_is_left(sql: str, shape: str) -> None:
    assert shape_of(sql) == shape
