"""Finds settings with which new connections begin, and with which some calls fail. They are settings of the server, the
database or a role. Tenuto's own connections set their isolation level and the style of times themselves."""

import re
from dataclasses import dataclass

from psycopg import Connection

MIN_TIMEOUT_SECONDS = 60  # a loop of a dispatcher may take half of this
MILLISECONDS = {"us": 0.001, "ms": 1, "s": 1000, "min": 60_000, "h": 3_600_000, "d": 86_400_000}
TIMEOUTS = ("statement_timeout", "transaction_timeout", "idle_in_transaction_session_timeout")
FITTING = {  # values with which everything works
    "default_transaction_isolation": ("read committed", "read uncommitted"),  # the same in Postgres
    "default_transaction_read_only": ("off", "false", "0", "no"),
    "row_security": ("on", "true", "1", "yes"),
    "session_replication_role": ("origin", "local"),
}
CONSEQUENCES = {
    "default_transaction_isolation": "in their transactions only reads and starts without dedupe key or limit work, "
    "unless the transactions begin with isolation level read committed",
    "default_transaction_read_only": "they cannot write",
    "row_security": "queries fail that a policy would restrict",
    "session_replication_role": "signals, cancels, releases and closes take effect late",
}


@dataclass(frozen=True)
class OtherDefault:
    """A setting with which new connections begin. `whom`: which connections, such as "role app in database shop".
    `cure`: the SQL that removes it."""

    name: str
    value: str
    whom: str
    cure: str

    def __str__(self) -> str:
        consequence = CONSEQUENCES.get(self.name, "long calls are cut off and repeated without end")
        return f"connections of {self.whom} begin with {self.name} = {self.value}: {consequence}; run `{self.cure}`"


# Settings of roles count if the role has one of Tenuto's roles. A value that no row of pg_db_role_setting explains
# comes from the configuration of the server.
DEFAULTS = """
with rows as (
  select s.setrole, split_part(c, '=', 1) as name, substr(c, strpos(c, '=') + 1) as value,
         case when s.setrole = 0 then 'database %2$s'
              when s.setdatabase = 0 then 'role %1$s'
              else 'role %1$s in database %2$s' end as whom,
         case when s.setrole = 0 then 'alter database %2$I reset %3$I'
              when s.setdatabase = 0 then 'alter role %1$I reset %3$I'
              else 'alter role %1$I in database %2$I reset %3$I' end as cure, r.rolname
  from pg_db_role_setting s
  cross join unnest(s.setconfig) c
  left join pg_roles r on r.oid = s.setrole
  where (s.setdatabase = 0 or s.setdatabase = (select d.oid from pg_database d where d.datname = current_database()))
    and (s.setrole = 0 or exists (
      select from pg_roles t where t.rolname like 'tenuto\\_%' and pg_has_role(s.setrole, t.oid, 'MEMBER')))
)
select r.name, r.value, format(r.whom, r.rolname, current_database()),
       format(r.cure, r.rolname, current_database(), r.name)
from rows r
union all
select g.name, g.reset_val || coalesce(g.unit, ''), 'this server',
       format('alter system reset %I', g.name)
from pg_settings g
where not exists (
  select from rows r
  where r.name = g.name and (r.setrole = 0 or r.setrole = (select oid from pg_roles where rolname = session_user)))
order by 1, 3
"""


def other_defaults(conn: Connection) -> list[OtherDefault]:
    found = [OtherDefault(*row) for row in conn.execute(DEFAULTS).fetchall()]
    return [default for default in found if not _fits(default)]


def _fits(default: OtherDefault) -> bool:
    if default.name in TIMEOUTS:
        amount = re.fullmatch(r"(\d+)\s*(\w*)", default.value)
        milliseconds = float(amount[1]) * MILLISECONDS.get(amount[2] or "ms", 1) if amount else 0.0
        return milliseconds == 0 or milliseconds >= MIN_TIMEOUT_SECONDS * 1000
    return default.value in FITTING.get(default.name, (default.value,))
