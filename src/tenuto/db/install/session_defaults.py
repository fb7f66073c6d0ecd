"""Finds settings of the server, the database or a role with which transactions of clients begin, and which some calls
refuse. Tenuto's own connections set what they need."""

from dataclasses import dataclass

from psycopg import Connection

READ_COMMITTED = ("read committed", "read uncommitted")  # the same in Postgres


@dataclass(frozen=True)
class OtherDefault:
    """The default isolation level of new transactions, where it is not READ COMMITTED. `whom`: who gets it, such as
    "role app in database shop". `cure`: the SQL that removes it."""

    level: str
    whom: str
    cure: str

    def __str__(self) -> str:
        return (
            f"transactions of {self.whom} are {self.level} by default: in them, only reads and starts without dedupe "
            f"key or limit work; run `{self.cure}`, or begin transactions with isolation level read committed"
        )


# Settings of roles count if the role has one of Tenuto's roles. What no row of pg_db_role_setting explains comes from
# the configuration of the server.
DEFAULTS = """
with rows as (
  select s.setdatabase, s.setrole, split_part(c, '=', 2) as level,
         format(case when s.setrole = 0 then 'database %2$s'
                     when s.setdatabase = 0 then 'role %1$s'
                     else 'role %1$s in database %2$s' end, r.rolname, current_database()) as whom,
         format(case when s.setrole = 0 then 'alter database %2$I reset default_transaction_isolation'
                     when s.setdatabase = 0 then 'alter role %1$I reset default_transaction_isolation'
                     else 'alter role %1$I in database %2$I reset default_transaction_isolation' end,
                r.rolname, current_database()) as cure
  from pg_db_role_setting s
  cross join unnest(s.setconfig) c
  left join pg_roles r on r.oid = s.setrole
  where split_part(c, '=', 1) = 'default_transaction_isolation'
    and (s.setdatabase = 0 or s.setdatabase = (select d.oid from pg_database d where d.datname = current_database()))
    and (s.setrole = 0 or exists (
      select from pg_roles t where t.rolname like 'tenuto\\_%' and pg_has_role(s.setrole, t.oid, 'MEMBER')))
)
select r.level, r.whom, r.cure from rows r
union all
select g.reset_val, 'this server',
       format('alter database %I set default_transaction_isolation = ''read committed''', current_database())
from pg_settings g
where g.name = 'default_transaction_isolation' and not exists (
  select from rows r where r.setrole = 0 or r.setrole = (select oid from pg_roles where rolname = session_user))
order by 2
"""


def other_defaults(conn: Connection) -> list[OtherDefault]:
    found = [OtherDefault(*row) for row in conn.execute(DEFAULTS).fetchall()]
    return [default for default in found if default.level not in READ_COMMITTED]
