"""Stale generated files are found. `make check` checks all of them."""

import gen


def test_a_file_that_differs_or_is_missing_is_stale(tmp_path):
    files = {gen.STATES: "new", gen.ATTEMPT_CALLS: "", gen.API_TYPES: "same"}
    for path, text in {gen.STATES: "old", gen.API_TYPES: "same"}.items():
        (tmp_path / path).parent.mkdir(parents=True)
        (tmp_path / path).write_text(text)

    assert gen.stale(files, tmp_path) == [gen.STATES, gen.ATTEMPT_CALLS]
