"""A worker that has the functions of the jobs in documents of tests, so that these can be deployed without warnings."""

from uuid import UUID

from tests.support.database.tasks import DEFAULT_ORG, Db, Worker, a_worker

NAMES = ("shop.extract", "shop.extract_2", "shop.report", "shop.run", "vault.collect")


def serve_functions(db: Db, *names: str, org_id: UUID = DEFAULT_ORG) -> Worker:
    types = [f"tenuto.python.{name}" for name in names or NAMES]
    return a_worker(db, "functions", org_id=org_id, lease="1 day", metadata={"types": types})
