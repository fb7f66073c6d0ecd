"""Lists the functions and views of an installation, and drops some of them in a safe order."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from psycopg import Connection, errors, sql

from tenuto.db.connection.errors import BrokenObject

Key = tuple[str, str]  # schema and name

# Only the installer creates objects in the compatibility schemas (tenuto_compat…), so each object there has a file.
OURS = """
select n.oid, n.nspname::text as name
from pg_namespace n
where n.nspname = 'tenuto'
   or n.nspname ~ '^tenuto_compat(_|$)' and n.nspowner = 'tenuto_owner'::regrole
"""
LIST = f"""
with ours as ({OURS})
select 'function', p.oid::bigint, n.name, p.proname::text, p.oid::regprocedure::text, p.xmin::text
from pg_proc p
join ours n on n.oid = p.pronamespace
where p.prokind in ('f', 'p')
union all
select case c.relkind when 'm' then 'materialized view' else 'view' end,
       c.oid::bigint, n.name, c.relname::text, c.oid::regclass::text, c.xmin::text
from pg_class c
join ours n on n.oid = c.relnamespace
where c.relkind in ('v', 'm')
order by 1, 5
"""
VIEW_TRIGGERS = f"""
with ours as ({OURS})
select format('drop trigger %I on %I.%I', t.tgname, n.name, c.relname)
from pg_trigger t
join pg_class c on c.oid = t.tgrelid and c.relkind = 'v'
join ours n on n.oid = c.relnamespace
order by 1
"""

# In pg_depend, a view depends on objects through its rewrite rule, and objects depend on a view through its row type
# and array type.
DEPENDENTS = """
with recursive reached (classid, objid) as (
  select unnest(%(classes)s::regclass[])::oid, unnest(%(oids)s::bigint[])::oid
  union
  select case when r.ev_class is not null then 'pg_class'::regclass::oid else d.classid end,
         coalesce(r.ev_class, d.objid)
  from reached
  join pg_depend d on d.refclassid = reached.classid and d.refobjid = reached.objid
   and (d.deptype in ('n', 'a') or d.deptype = 'i' and d.classid = 'pg_type'::regclass)
   and not (d.classid = 'pg_trigger'::regclass and d.objid in (   -- the triggers of a view are dropped with it
     select t.oid from pg_trigger t join pg_class v on v.oid = t.tgrelid and v.relkind = 'v'))
  left join pg_rewrite r on d.classid = 'pg_rewrite'::regclass and r.oid = d.objid
)
select classid::regclass::text, objid::bigint, pg_describe_object(classid, objid, 0) from reached
"""


@dataclass(frozen=True)
class Item:
    """A function or view in the catalog. `written` changes whenever the object is replaced."""

    kind: str
    oid: int
    schema: str
    name: str
    identity: str
    written: str

    @property
    def key(self) -> Key:
        return self.schema, self.name


def list_objects(conn: Connection) -> list[Item]:
    return [Item(*row) for row in conn.execute(LIST).fetchall()]


def describe(conn: Connection, descriptions: Mapping[Key, str | None]) -> None:
    """Set the descriptions as comments, which psql shows with \\df+ and \\d+."""
    for item in list_objects(conn):
        what = f"comment on {_sql_keyword(item)} {item.identity} is ".encode()  # quoted by the catalog
        conn.execute(what + sql.Literal(descriptions[item.key]).as_bytes(conn))


def drop_view_triggers(conn: Connection) -> None:
    """Drops the triggers of all views. The files of the views create them again."""
    for (statement,) in conn.execute(VIEW_TRIGGERS).fetchall():
        conn.execute(statement.encode())


def drop_schemas(conn: Connection, *, keep: Collection[str]) -> None:
    """Drops the schemas for which there are no files any more. They are empty by now."""
    for _, name in conn.execute(OURS).fetchall():
        if name not in keep:
            conn.execute(sql.SQL("drop schema {}").format(sql.Identifier(name)))


def drop(conn: Connection, items: list[Item]) -> None:
    """Drops exactly these objects, in an order that their dependencies allow. Raises BrokenObject if another object
    still needs one of them; the message says which."""
    while items:
        left: list[Item] = []
        reason: str | None = None
        for item in items:
            try:
                with conn.transaction():
                    conn.execute(f"drop {_sql_keyword(item)} {item.identity}".encode())  # quoted by the catalog
            except errors.DependentObjectsStillExist as error:
                left.append(item)
                reason = error.diag.message_detail
        if len(left) == len(items):
            raise BrokenObject(f"{items[0].identity} is no longer in any file but is still used: {reason}")
        items = left


def drop_with_dependents(conn: Connection, items: list[Item]) -> set[Key]:
    """Drops these objects and the functions and views that depend on them, and returns the keys of all dropped objects.
    Never drops a table. Raises BrokenObject if something else, such as a table, depends on them."""
    classes = ["pg_proc" if item.kind == "function" else "pg_class" for item in items]
    oids = [item.oid for item in items]
    known = {item.oid: item for item in list_objects(conn)}
    reached: list[Item] = []
    for catalog, oid, description in conn.execute(DEPENDENTS, {"classes": classes, "oids": oids}).fetchall():
        if oid in known:
            reached.append(known[oid])
        elif catalog not in ("pg_type", "pg_rewrite"):  # a view's own row type and rule are dropped with it
            raise BrokenObject(
                f"{items[0].identity} cannot change its shape because {description} uses it; "
                "remove that use in a migration first"
            )
    drop(conn, reached)
    return {item.key for item in reached}


def _sql_keyword(item: Item) -> str:
    return "routine" if item.kind == "function" else item.kind
