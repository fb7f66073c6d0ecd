"""The SQL that `tenuto db roles` prints. It creates one login per purpose, each with the rights that it needs."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from psycopg import sql

from tenuto.db.install.roles import OWNER, ROLES

DEFAULT_ORG = "00000000-0000-7000-8000-000000000001"


@dataclass(frozen=True)
class Login:
    """A login, named after its purpose, and the roles that it gets. `can`: what it can do, for the comment."""

    purpose: str
    roles: tuple[str, ...]
    can: str


LOGINS = (
    Login("owner", (OWNER,), "runs `tenuto db migrate`"),
    Login("worker", ("tenuto_worker", "tenuto_dispatcher"), "runs workers, dispatchers and the commands of admins"),
    Login("web", ("tenuto_client",), "starts tasks, sends signals and reads runs: for web applications"),
    Login("server", ("tenuto_api",), "runs `tenuto server`, which acts for one org at a time"),
    Login("readonly", ("tenuto_readonly",), "reads one org, and changes nothing: for analysts and dashboards"),
    Login("backup", ("tenuto_backup",), "runs `pg_dump --enable-row-security --schema tenuto --schema tenuto_data`"),
)


def login_script(prefix: str, purposes: Iterable[str]) -> str:
    """Return the script. Running it again changes nothing."""
    wanted = set(purposes)
    lines = [
        "-- Run this in the database of Tenuto as an administrator: tenuto db roles | psql …",
        "-- It sets no passwords: run `\\password NAME` in psql for every login.",
        "",
        "-- The roles that rights are granted to. `tenuto db migrate` grants them.",
        *(_create(role, "nologin") for role in ROLES),
        f"grant pg_read_all_stats to {OWNER};",
    ]
    for login in LOGINS:
        if login.purpose in wanted:
            lines += ["", *_statements(login, f"{prefix}_{login.purpose}")]
    return "\n".join(lines)


def _statements(login: Login, name: str) -> Iterator[str]:
    quoted = sql.Identifier(name).as_string(None)
    yield f"-- {name} {login.can}."
    yield _create(name, "login")
    yield f"grant {', '.join(login.roles)} to {quoted};"
    if login.purpose in ("owner", "worker", "server"):
        # Tenuto's processes ask for it anyway; behind a pooler this saves two round trips per call if the database has
        # another default.
        yield f"alter role {quoted} set default_transaction_isolation = 'read committed';"
    if login.purpose == "owner":
        yield (
            "do $$ begin execute format("
            f"'grant create on database %I to %I', current_database(), {sql.Literal(name).as_string(None)}); end $$;"
        )
    if login.purpose == "readonly":
        yield f"alter role {quoted} set tenuto.org_id = '{DEFAULT_ORG}';  -- the org `default`"


def _create(name: str, kind: str) -> str:
    quoted = sql.Identifier(name).as_string(None)
    return f"do $$ begin create role {quoted} {kind}; exception when duplicate_object then null; end $$;"
