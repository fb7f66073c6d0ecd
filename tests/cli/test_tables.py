"""Tables for people: aligned, and whole lines however narrow the terminal is."""

import pytest

from tenuto.cli.output import plain_table, table


def test_columns_are_aligned_under_their_names_without_trailing_spaces() -> None:
    assert table(["id", "last_error"], [["1", "-"], ["1000", "boom"]]).splitlines() == [
        "ID    LAST ERROR",
        "1     -",
        "1000  boom",
    ]


def test_characters_that_take_two_cells_do_not_shift_the_next_column() -> None:
    assert table(["name", "n"], [["日本", "1"], ["abcd", "2"]]).splitlines()[1:] == ["日本  1", "abcd  2"]


def test_lines_are_not_wrapped_or_cut_on_a_narrow_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    words = "a long error " * 50

    assert table(["id", "error"], [["x" * 36, words]]).splitlines()[1] == f"{'x' * 36}  {words.rstrip()}"


def test_text_is_not_read_as_markup() -> None:
    assert table(["name"], [["[bold]:smile:[/bold]"]]).splitlines()[1] == "[bold]:smile:[/bold]"


def test_names_of_columns_of_a_query_are_printed_as_they_are() -> None:
    assert plain_table(["temp_7d", "[b]"], [["1", "2"]]).splitlines() == ["temp_7d  [b]", "1        2"]
