"""Installs or migrates Tenuto in a database, in one transaction. Changes nothing if the database is up to date."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources.abc import Traversable

import psycopg
from psycopg import Connection, IsolationLevel
from psycopg.conninfo import make_conninfo
from psycopg.pq import PGconn, Ping

from tenuto.db.connection.error_messages import place_of
from tenuto.db.connection.errors import (
    BadAddress,
    DatabaseProblem,
    MissingRight,
    NewerSchema,
    NotATestDatabase,
    OtherFunctions,
    OtherTables,
    ServerTooOld,
    Unreachable,
)
from tenuto.db.install.lock_tables import hold_tables
from tenuto.db.install.migrations import (
    BOOKKEEPING,
    Installed,
    apply_migrations,
    pending_migrations,
    read_functions,
    read_installed,
)
from tenuto.db.install.roles import become_owner
from tenuto.db.install.session_defaults import OtherDefault, other_defaults
from tenuto.db.install.sql_objects import apply_objects
from tenuto.db.install.sql_tree import DATA_SCHEMA, SqlTree, read_tree

CONNECT_SECONDS = 10
OLDEST_SERVER = 150_000
LOCK = 0x7E6E_7570  # an arbitrary number; every migration takes this advisory lock first


@dataclass(frozen=True)
class Report:
    """The result of a migration."""

    applied: list[str]
    objects_applied: bool
    schema_version: int


@dataclass(frozen=True)
class SchemaStatus:
    """How the installed schema differs from the schema that this version of Tenuto installs."""

    url: str
    server_version: str
    schema_version: int
    pending: list[str]
    current: bool
    test: bool
    newer: bool  # a later version of Tenuto migrated the database
    other_tables: bool  # another commit, which was never released, created the tables: they cannot be migrated
    missing: list[str]  # functions that this version calls and the database does not have
    restarts: list[str]  # functions that the installed version calls and this one no longer has
    other_defaults: list[OtherDefault]  # settings with which some calls fail


def migrate(
    database: str | Connection, *, test: bool = False, installation: str | None = None, root: Traversable | None = None
) -> Report:
    """Bring the database to the state of the SQL files. On an error nothing is changed. A database that a later version
    migrated is not changed either; raises NewerSchema if this version does not work with it. Raises OtherTables if the
    tables were created from another baseline. `installation`: the name of a new installation (TENUTO_INSTALLATION)."""
    tree = read_tree(root)
    with connection_to(database) as conn:
        refuse_old_server(conn.info.server_version)
        installed = read_installed(conn)
        _refuse_other_tables(conn, tree, installed)
        if installed.version > tree.latest:
            return _keep_newer(conn, tree, installed)
        if _is_current(tree, installed, test=test):
            return Report([], objects_applied=False, schema_version=tree.latest)
        with conn.transaction():
            lock_installation(conn)
            return install(conn, tree, test=test, installation=installation)


def status(database: str | Connection, *, root: Traversable | None = None) -> SchemaStatus:
    """Return the status of a database without changing it."""
    tree = read_tree(root)
    with connection_to(database) as conn:
        installed = read_installed(conn)
        version = conn.info.parameter_status("server_version") or ""
        other_tables = installed.has_other_tables(tree)
        newer = not other_tables and installed.version > tree.latest
        missing, restarts = _differences(conn, tree, installed)
        return SchemaStatus(
            url=address_of(conn),
            server_version=version.split(" ")[0],
            schema_version=installed.version,
            pending=[] if other_tables else [migration.name for migration in pending_migrations(tree, installed)],
            current=not newer and _is_current(tree, installed, test=installed.test),
            test=installed.test,
            newer=newer,
            other_tables=other_tables,
            missing=missing,
            restarts=restarts,
            other_defaults=other_defaults(conn),
        )


def require_fitting(url: str) -> None:
    """Raises OtherFunctions unless this version of Tenuto works with the database. The message says what to do."""
    found = status(url)
    if found.schema_version == 0:
        raise OtherFunctions(f"{found.url} has no Tenuto schema; run `tenuto db migrate`")
    if found.missing and found.other_tables:
        raise OtherTables(other_tables_in(found.url))
    if found.missing and found.newer:
        raise OtherFunctions(
            f"a newer Tenuto migrated {found.url} to version {found.schema_version:04d}, and this one does not work "
            f"with its functions ({found.missing[0]}); start the Tenuto that migrated it"
        )
    if found.missing:
        raise OtherFunctions(
            f"the functions in {found.url} do not match this Tenuto ({found.missing[0]}); "
            "run `tenuto db migrate` with the Tenuto that all processes run"
        )


def _differences(conn: Connection, tree: SqlTree, installed: Installed) -> tuple[list[str], list[str]]:
    """Return two lists: what this version calls and the database does not have, and what processes of the installed
    version call and this version does not have."""
    if _is_current(tree, installed, test=installed.test) or installed.interface in (None, tree.interface.digest):
        return [], []  # the digest is compared last, because computing it takes four times as long
    functions = read_functions(conn)
    if functions is None:
        return ["its functions are unknown"], ["its functions are unknown"]
    return tree.interface.missing_in(functions), functions.missing_in(tree.interface)


def other_tables_in(url: str) -> str:
    """Return the sentence for a database whose tables were created from another baseline."""
    return (
        f"another commit of Tenuto, which was never released, created the tables in {url}, and nothing was changed; "
        "`tenuto db reset` keeps them under another name and creates new ones"
    )


def _refuse_other_tables(conn: Connection, tree: SqlTree, installed: Installed) -> None:
    if installed.has_other_tables(tree):
        raise OtherTables(other_tables_in(address_of(conn)))


def _keep_newer(conn: Connection, tree: SqlTree, installed: Installed) -> Report:
    missing, _ = _differences(conn, tree, installed)
    if missing:
        raise NewerSchema(
            f"the database has migration {installed.version:04d}, this Tenuto ends at {tree.latest:04d} and does not "
            f"work with it ({missing[0]}); install the newer Tenuto that migrated it"
        )
    return Report([], objects_applied=False, schema_version=installed.version)


def refuse_old_server(version: int) -> None:
    """Raises ServerTooOld if the version of Postgres (a number as in `server_version_num`) is too low."""
    if version < OLDEST_SERVER:
        raise ServerTooOld(
            f"the server is Postgres {version // 10_000}, Tenuto needs {OLDEST_SERVER // 10_000} or newer; "
            "upgrade it, or unset TENUTO_DATABASE_URL to use the embedded one"
        )


def lock_installation(conn: Connection) -> None:
    """Wait until no other process migrates the database. The lock is held until the transaction ends."""
    conn.execute("select pg_advisory_xact_lock(%s)", [LOCK])


def install(conn: Connection, tree: SqlTree, *, test: bool, installation: str | None) -> Report:
    """Install in the transaction of the caller, which holds the lock of `lock_installation`."""
    installed = read_installed(conn)  # read again, because another process may have migrated before we got the lock
    _refuse_other_tables(conn, tree, installed)
    if test and not installed.empty and not installed.test:
        raise NotATestDatabase(
            f"database {conn.info.dbname!r} holds a production installation; use an empty database for tests"
        )
    if installed.version > tree.latest:
        return _keep_newer(conn, tree, installed)
    test = test or installed.test
    migrations = pending_migrations(tree, installed)
    if _is_current(tree, installed, test=test):
        return Report([], objects_applied=False, schema_version=tree.latest)
    become_owner(conn, tree.schemas)
    conn.execute("set local search_path = pg_catalog, pg_temp")
    conn.execute("set local client_min_messages = warning")
    hold_tables(conn, [schema for schema in tree.schemas if schema != DATA_SCHEMA])
    conn.execute(BOOKKEEPING)
    apply_migrations(conn, migrations)
    apply_objects(conn, tree, test=test)
    if any(file.name == "create_partitions" for file in tree.objects):
        conn.execute("select tenuto.create_partitions()")
    if installation is not None and installed.empty:
        conn.execute("update tenuto.installation_marks set name = %s", [installation])
    facts = {
        "fingerprint": tree.fingerprint(test=test),
        "interface": tree.interface.digest,
        "functions": tree.interface.to_json(),
        "test": "true" if test else "false",
    }
    _remember(conn, facts)
    return Report([migration.name for migration in migrations], objects_applied=True, schema_version=tree.latest)


def _is_current(tree: SqlTree, installed: Installed, *, test: bool) -> bool:
    if test and not installed.test:
        return False
    return (
        not installed.has_other_tables(tree)
        and not pending_migrations(tree, installed)
        and installed.fingerprint == tree.fingerprint(test=installed.test)
        and installed.schemas.issuperset(tree.schemas)
    )


def _remember(conn: Connection, facts: dict[str, str]) -> None:
    for key, value in facts.items():
        conn.execute(
            "insert into tenuto.installation (key, value) values (%s, %s) "
            "on conflict (key) do update set value = excluded.value",
            [key, value],
        )


@contextmanager
def connection_to(database: str | Connection) -> Generator[Connection]:
    """Yield a connection: the given one, or a new one to this address. Raises errors with messages of one line."""
    if not isinstance(database, str):
        yield database
        return
    with open_connection(database) as conn:
        try:
            yield conn
        except psycopg.OperationalError as error:
            raise Unreachable(_unreachable(database, error)) from error
        except psycopg.errors.InsufficientPrivilege as error:
            raise MissingRight(
                f"the login {conn.info.user!r} cannot read Tenuto's schema ({error.diag.message_primary}): it has none "
                "of Tenuto's roles; `tenuto db roles` prints the SQL with which an administrator creates logins"
            ) from error
        except psycopg.Error as error:
            raise DatabaseProblem(f"Postgres refused: {str(error).strip()}") from error


def open_connection(url: str) -> Connection:
    """Connect to the database. Raises Unreachable or BadAddress with a message of one line if that fails."""
    try:
        conn = psycopg.connect(url, autocommit=True, connect_timeout=CONNECT_SECONDS, application_name="tenuto install")
        conn.isolation_level = IsolationLevel.READ_COMMITTED
        return conn
    except psycopg.errors.ConnectionTimeout:
        raise Unreachable(
            f"waited {CONNECT_SECONDS} s for a connection to Postgres at {place_of(url)}, which did not respond; "
            "start it or correct TENUTO_DATABASE_URL"
        ) from None
    except psycopg.OperationalError as error:
        # Without a cause, because the message already includes the driver's message.
        raise Unreachable(_refused(url, error) or _unreachable(url, error)) from None
    except psycopg.ProgrammingError:  # the driver's message may contain the password
        raise BadAddress(
            "TENUTO_DATABASE_URL is not a usable address; write postgresql://user:password@host:port/name"
        ) from None


def _refused(url: str, error: psycopg.OperationalError) -> str | None:
    """Return the message for a server that responds but rejects the connection; None if there is no response."""
    if PGconn.ping(make_conninfo(url, connect_timeout=10).encode()) != Ping.OK:
        return None
    return (
        f"Postgres at {place_of(url)} refuses the connection ({_reason(error).removeprefix('FATAL:').strip()}); "
        "correct the user, the password or the database's name in TENUTO_DATABASE_URL"
    )


def _unreachable(url: str, error: psycopg.OperationalError) -> str:
    return f"cannot reach Postgres at {place_of(url)} ({_reason(error)}); start it or correct TENUTO_DATABASE_URL"


def _reason(error: psycopg.OperationalError) -> str:
    return str(error).strip().splitlines()[0].split(" failed: ")[-1]


def address_of(conn: Connection) -> str:
    """Return the address of this connection, without the password."""
    info = conn.info
    return f"postgresql://{info.user}@{info.host}:{info.port}/{info.dbname}"
