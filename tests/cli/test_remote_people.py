"""Commands about groups, bundles, destinations, orgs, users and roles do and print the same over HTTP as on the
database."""

import json
import re
from base64 import b64encode
from pathlib import Path

from psycopg.types.json import Jsonb

from tests.support.database.tasks import DEFAULT_ORG, Db, call
from tests.support.http.both_ways import Ways, run_here

PEPPER = b64encode(b"p" * 32).decode()
COMMANDS = """
groups set NAME --weight 3 --quota 5 --json
groups show NAME
groups list
groups delete NAME
groups delete NAME
groups show NAME
orgs list --json
orgs show default
orgs set default --name NAME --retention-days 30 --setting stuck_task_seconds=900
orgs set default --setting stuck_task_seconds=null --json
orgs show default --json
users add --issuer https://id.example --subject NAME --role writer --email a@b.c
users list
users show USER
users role USER admin --json
users disable USER
users enable USER --json
users show x
users show 00000000-0000-7000-8000-000000000000
roles create NAME --description money --display-name Finance
roles create NAME
roles list
roles add NAME USER
roles members NAME
roles members nobody
roles remove NAME USER --json
roles delete NAME
roles delete NAME
destinations set NAME https://example.com/hook
destinations set NAME https://example.com/other --json
destinations list --json
destinations rotate NAME
destinations delete NAME
destinations rotate NAME
destinations list
bundle push BUNDLE --json
bundle list --json
bundle show HASH
bundle delete HASH
bundle delete HASH
"""
HIDDEN = re.compile(
    r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\d[T ][\d:.]+(Z|[+-]\d\d:?\d\d)?|(?<=created_by)[ :\"]+\S+"
    r"|tns_[\w-]+"
)


def a_bundle(folder: Path, name: str) -> Path:
    folder.mkdir()
    (folder / "parts.py").write_text("def work(): ...\n")
    manifest = {"name": name, "tasks": {"work": "parts:work"}}
    (folder / "bundle.json").write_text(json.dumps(manifest))
    assert run_here("bundle", "build", str(folder)).returncode == 0
    return folder.with_suffix(".zip")


def test_a_command_about_people_groups_and_bundles_does_the_same_over_http(db: Db, ways: Ways, tmp_path: Path):
    seen = []
    for name, way in (("eu", ways.direct), ("us", ways.http)):
        file = a_bundle(tmp_path / name, name)
        pushed = json.loads(run_here("bundle", "push", str(file), "--json", **way).stdout)
        words = {"NAME": name, "BUNDLE": str(file), "HASH": pushed["sha256"]}
        said, audit = [], []
        for command in COMMANDS.strip().splitlines():
            if "USER" in command and "USER" not in words:
                words["USER"] = str(call(db, "list_users", org_id=DEFAULT_ORG)[0]["id"])
            done = run_here(*(words.get(word, word) for word in command.split()), **way, TENUTO_PEPPER=PEPPER)
            text = f"{command}: {done.returncode} {done.stdout} {done.stderr}"
            said.append(shown(text, name, words))
        for row in call(db, "list_audit", org_id=DEFAULT_ORG, limit=100):
            kind = "login" if way is ways.direct else "api_key"
            if row["actor_kind"] == kind and row["entity"] in ("group", "org", "user", "role", "bundle", "destination"):
                audit.append((row["entity"], row["action"]))
        seen.append((said, sorted(set(audit))))
        call(db, "update_org", org_id=DEFAULT_ORG, name="Default", settings=Jsonb({}))
        db.execute("delete from tenuto.users")

    for here, far in zip(*(said for said, _ in seen), strict=True):
        assert here == far
    assert seen[0][1] == seen[1][1]


def shown(text: str, name: str, words: dict[str, str]) -> str:
    for word, value in words.items():
        text = text.replace(value, word) if len(value) > 5 else text
    text = HIDDEN.sub("X", re.sub(rf"\b{name}\b", "NAME", text))
    return re.sub(r" {2,}|-{2,}", " ", text)


def test_creating_an_org_and_a_link_need_the_database(ways: Ways):
    for command in ("orgs create other", "users link 00000000-0000-7000-8000-000000000000"):
        done = run_here(*command.split(), **ways.http)
        assert (done.returncode, "needs the database" in done.stderr) == (2, True)
