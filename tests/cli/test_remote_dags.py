"""Commands about DAGs, jobs and datasets over HTTP: they print and do what they do on the database itself."""

import json
import re
from pathlib import Path

from tenuto.model.os_user import os_user
from tests.dag.documents import a_document, with_job
from tests.support.database.functions import serve_functions
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call
from tests.support.http.both_ways import Ways, run_here

ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
TIME = re.compile(r"\d{4}-\d\d-\d\d[T ][\d:.+]+")
HASH = re.compile(r"\b[0-9a-f]{12,64}\b")
COMMANDS = """
plan FIRST
versions DAG
deploy FIRST --auto
deploy FIRST --auto --json
plan SECOND --exit-code
plan SECOND --json
deploy SECOND
cutover DAG --expected 0
cutover DAG
cutover DAG
cutover DAG 7
cutover DAG --force
cutover DAG 1 --force
cutover DAG 2 --json
rollback DAG --expected 1
rollback DAG
versions DAG
versions DAG --json
versions nothing
dags list --limit 1
dags list --limit 1 --json
diff DAG 1 2
diff DAG 1 2 --json
diff DAG 1 7
jobs list --dag DAG
jobs list --after DAG/daily --limit 2 --json
jobs list --after DAG
jobs show DAG daily
jobs show DAG dayly
jobs pause DAG daily --reason totals
jobs resume DAG daily --json
jobs resume DAG dayly
jobs trigger DAG daily --json
jobs trigger DAG daily --partition mon --partition tue --dedupe-key k
jobs trigger DAG daily --partition mon --dedupe-key k
jobs trigger DAG daily --partition mon --partition mon
jobs trigger DAG dayly
jobs pause DAG daily
jobs trigger DAG daily
jobs trigger DAG daily --force
datasets list --limit 2
datasets show DAG_daily
datasets show DAG_weekly
datasets versions DAG_daily --json
datasets partitions DAG_daily
datasets partitions DAG_raw --json
datasets partitions DAG_daily --version 0
datasets partitions nothing
events list --dataset DAG_raw
events list --dataset nothing
events show 0
why DAG/daily
why DAG/dayly
why DAG_raw --json
alerts set DAG dataset_age --target DAG_raw --seconds 60
alerts set DAG dataset_age
alerts set DAG job_failures --target DAG --json
alerts silence DAG --seconds 60
alerts silence nothing
alerts ack 0
alerts list
alerts rules --json
alerts delete DAG
alerts delete DAG
reconcile DAG_daily
reconcile DAG_daily --fix --json
reconcile --dag DAG
reconcile --dag DAG --fix --limit 1
reconcile --dag nothing
reconcile DAG_raw
reconcile nothing
reconcile
invalidate DAG_raw --partition mon --reason corrected
invalidate DAG_raw --partition mon --reason corrected --filter {"id":7} --json
invalidate DAG_raw --partition mon --reason corrected --filter 7
invalidate DAG_raw --reason corrected
invalidate nothing --reason corrected
invalidations list --dataset DAG_raw
invalidations show 0
backfill start DAG_daily --partition mon --partition tue --dry-run
backfill start DAG_daily --partition mon --dry-run --json
backfill start DAG_daily --range 2026-11-01..2026-11-07 --reason corrected --downstream same
backfill start DAG_daily --partition mon --json
backfill start DAG_daily --range ..
backfill start DAG_daily --range b..a --reprocess all
backfill start DAG_daily
backfill start nothing
backfill list --dataset DAG_daily
backfill list --status paused --json
backfill show 0
backfill show 019a9b54-0000-7000-8000-000000000001
backfill pause 019a9b54-0000-7000-8000-000000000001
datasets grant DAG_daily finance
datasets grant DAG_daily nobody
datasets revoke DAG_daily finance --json
datasets purge DAG_daily
datasets purge DAG_daily --keep 0 --dry-run
datasets purge DAG_daily --keep 0 --json
deploy BAD
datasets delete DAG_daily
datasets delete nothing --dry-run
dags delete DAG
dags delete DAG --force --dry-run --json
dags delete DAG --force
dags delete DAG
"""


def documents(folder: Path, name: str) -> dict[str, str]:
    """The files of a DAG: two versions, and a wrong one."""
    first, second = (
        json.dumps(document).replace("orders", name)
        for document in (a_document(), with_job("daily", config={"sql": "select 2"}))
    )
    texts = {"FIRST": first, "SECOND": second, "BAD": f"name: {name}\njbos: []\n"}
    for word, text in texts.items():
        (folder / f"{word}.yaml").write_text(text)
    return {word: str(folder / f"{word}.yaml") for word in texts} | {"DAG": name}


def test_a_command_about_dags_does_the_same_over_http(db: Db, ways: Ways, tmp_path: Path):
    call(db, "create_role", org_id=DEFAULT_ORG, name="finance")
    serve_functions(db, "shop.extract")  # so report has no worker: both ways warn of it
    stopped = a_worker(db, "stopped", metadata={"types": ["tenuto.python.shop.report"]})
    call(db, "close_session", **stopped.fence)
    seen = []
    for name, way in (("orders", ways.direct), ("basket", ways.http)):
        before = [row["id"] for row in call(db, "list_audit", org_id=DEFAULT_ORG)]
        words = documents(tmp_path, name)
        done = []
        for command in COMMANDS.strip().splitlines():
            arguments = [words.get(word, word.replace("DAG", name)) for word in command.split()]
            said = run_here(*arguments, **way)
            done.append((command, said.stdout, said.stderr, said.returncode))
        entries = [row for row in call(db, "list_audit", org_id=DEFAULT_ORG) if row["id"] not in before]
        audit = [(row["entity"], row["entity_id"], row["action"], json.dumps(row["changes"])) for row in entries]
        seen.append([plain(str(line), name) for line in (*done, *audit)])

    assert seen[0] == seen[1]
    warning = "warning: job report would wait for a worker: no worker alive has the function shop.report"
    assert sum(warning in line for line in seen[0]) >= 4


def plain(text: str, name: str) -> str:
    """The text without what differs between two DAGs and two actors."""
    text = text.replace(f"'{os_user()}'", "'ID'").replace(f" {os_user()} ", " ID ").replace(f'"{os_user()}"', '"ID"')
    for pattern, word in ((ID, "ID"), (TIME, "TIME"), (HASH, "HASH")):
        text = pattern.sub(word, text)
    return re.sub(" +", " ", text.replace(name, "DAG"))
