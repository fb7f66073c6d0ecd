"""Row security, proven: `pgrls verify` decides by a solver whether a policy could ever let a row through.

What it cannot decide, and what holds it instead: the policy of the trusted roles is `using (true)` by design
(tests/security/test_role_flows.py); that tenuto._org_id() answers null without an org and else the org that was set
is taken as given by the proof, and is tested here.
"""

import json
import subprocess
import sys
from pathlib import Path
from uuid import UUID, uuid4

import psycopg
import pytest

from tests.support.database.loops import value
from tests.support.database.orgs import acting_for, tenant_tables

PGRLS = Path(sys.executable).parent / "pgrls"
CONFIG = '[lint.rules.SEC021]\nidentity_columns = ["org_id", "id"]\n'  # an org's own column is its id
POLICY = "an_org_sees_its_own_rows"


def proven(database: str, mode: str, folder: Path) -> dict[str, str]:
    """What the prover says of the policy of every table."""
    config = folder / "pgrls.toml"
    config.write_text(CONFIG)
    command = [PGRLS, "verify", "--database-url", database, "--schemas", "tenuto", "--mode", mode, "--format", "json",
               "--auth-function", "tenuto._org_id", "--config", config]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    assert done.stdout, done.stderr
    return {
        table["table"].removeprefix("tenuto."): policy["verdict"]
        for table in json.loads(done.stdout)["tables"]
        for policy in table["policies"]
        if policy["policy"] == POLICY
    }


@pytest.mark.parametrize("mode", ["anon", "cross-tenant", "write"])
def test_no_row_of_another_org_can_ever_pass_the_policy(
    db: psycopg.Connection, database: str, mode: str, tmp_path: Path
) -> None:
    verdicts = proven(database, mode, tmp_path)

    assert verdicts == {table: "isolated" for table, _ in tenant_tables(db)}


def test_the_prover_finds_a_policy_that_leaks(db: psycopg.Connection, database: str, tmp_path: Path) -> None:
    db.execute(f"alter policy {POLICY} on tenuto.users using (org_id = tenuto._org_id() or email is null)".encode())

    verdicts = proven(database, "cross-tenant", tmp_path)

    assert {table for table, verdict in verdicts.items() if verdict != "isolated"} == {"users"}


def test_a_transaction_acts_for_the_org_that_was_set_for_it_and_for_none_before_and_after(
    db: psycopg.Connection,
) -> None:
    org = uuid4()

    def acts_for() -> UUID | None:
        return value(db, "select tenuto._org_id()")

    assert acts_for() is None
    with acting_for(db, org):
        assert acts_for() == org
    assert (acts_for(), value(db, "select current_setting('tenuto.org_id', true)")) == (None, "")
    with pytest.raises(psycopg.errors.InvalidTextRepresentation):
        db.execute("select tenuto._org_id() from set_config('tenuto.org_id', 'default', true)")
