"""The JSON Schema accepts and refuses what the checks accept and refuse, as far as one field at a time can tell."""

import pytest
from jsonschema_rs import Draft202012Validator

from tenuto.dag.json_schema import json_schema
from tests.dag.documents import a_document, parsed, with_job

VALIDATOR = Draft202012Validator(json_schema())


@pytest.mark.parametrize(
    "document",
    [
        a_document(),
        a_document(publish={"reports": {"from": {"job": "report"}}}),
        with_job("report", idle_timeout=0, outputs=2),
        with_job("daily", inputs=[{"from": {"dataset": "x"}, "where": {"a": [1, "b"]}}, {"from": {"job": "extract"}}]),
    ],
)
def test_valid_documents_match_it(document):
    parsed(document)

    assert [error.message for error in VALIDATOR.iter_errors(document)] == []


@pytest.mark.parametrize(
    "document",
    [
        a_document(extra=1),
        a_document(name="Bad Name"),
        a_document(jobs=[]),
        with_job("daily", operator=None),
        with_job("daily", execution_strategy="Bulk"),
        with_job("daily", inputs=[{"from": {"dataset": "x", "job": "y"}}]),
        with_job("daily", outputs=-1),
    ],
)
def test_invalid_documents_do_not(document):
    assert not VALIDATOR.is_valid(document)
