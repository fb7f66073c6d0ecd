"""The database accepts the runtimes that run, whoever deploys: those that `tenuto validate` accepts."""

import psycopg
import pytest

from tenuto.dag.operators import OPERATORS
from tenuto.dag.structure import OTHER_RUNTIMES
from tenuto.model.errors import InvalidInput
from tests.dag.documents import messages, with_job
from tests.support.database.compat import refused
from tests.support.database.tasks import Db

WORDS = ["worker", "sandbox", "dispatcher", "moon", "", None, *OTHER_RUNTIMES]


def database_accepts(db: Db, operator: str, runtime: str | None) -> bool:
    try:
        db.execute(
            "select tenuto._check_runtimes(jsonb_build_array("
            "jsonb_build_object('name', 'a', 'operator', %s::text, 'runtime', %s::text)))",
            [operator, runtime],
        )
    except psycopg.Error as refusal:
        return refusal.sqlstate != InvalidInput.code
    return True


def document_accepts(operator: str, runtime: str | None) -> bool:
    texts = messages({**with_job("extract", operator=operator, runtime=runtime), "name": "Bad Name"})
    return runtime is not None and not any("jobs[0].runtime" in text for text in texts)


@pytest.mark.parametrize("operator", [*OPERATORS, "sql@2", "udf"])
def test_a_direct_caller_can_store_the_runtimes_that_a_document_can_have(db: Db, operator: str):
    accepted = {word for word in WORDS if database_accepts(db, operator, word)}

    assert accepted == {word for word in WORDS if document_accepts(operator, word)}
    assert accepted
    assert not accepted & OTHER_RUNTIMES.keys()


def test_the_error_names_the_job_the_operator_and_what_to_write(db: Db):
    with refused("TN003", "job a: the operator sql does not run in the runtime lambda"):
        db.execute(
            """select * from tenuto.deploy_dag(tenuto.find_org('default'), 'd', 'x', repeat('a', 64), 1,
               '[{"name": "a", "operator": "sql", "runtime": "lambda"}]', 'ann')"""
        )
