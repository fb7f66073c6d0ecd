"""The errors for a database that cannot be reached or used. Each message says what to do."""

import asyncio

AWAY_SECONDS = 5.0  # how long a client's call waits for a database or server that does not accept connections
LOOK_EVERY = 0.03  # seconds between two checks whether a server accepts connections again


class DatabaseProblem(Exception):
    """A problem with the database or its server keeps Tenuto from working."""


class Unreachable(DatabaseProblem):
    """The database does not respond, or rejects the connection."""


class Away(Unreachable):
    """The server does not accept connections: it is down, starting or full."""

    retry_after = LOOK_EVERY  # short, because the next attempt to connect waits for its turn anyway


class TimedOut(Unreachable):
    """The database cancelled a statement that ran, or waited for a lock, for too long."""


class StatementFailed(Unreachable):
    """A statement failed because of a deadlock, an unavailable lock or missing memory. The connection is still
    usable."""


class RowRejected(DatabaseProblem):
    """A statement failed because of a row that it reads or writes. For other rows it would succeed."""


class BadAddress(DatabaseProblem):
    """The database address is not valid."""


class NoBinaries(DatabaseProblem):
    """No Postgres binaries were found on this machine."""


class WrongMajor(DatabaseProblem):
    """The data folder belongs to another major version of Postgres."""


class ServerFailed(DatabaseProblem):
    """The embedded server, or the creation of its data folder, failed."""


class NoHome(DatabaseProblem):
    """TENUTO_HOME cannot be created, entered or written."""


class ServerTooOld(DatabaseProblem):
    """The server is older than the oldest supported Postgres."""


class MissingRight(DatabaseProblem):
    """The connected role lacks a privilege that the installation needs."""


def lacks_right(message: str | None, *, role: str | None = None) -> MissingRight:
    """Return the error for a call that the login may not make. `role`: a role that may make the call."""
    needed = f"the role {role}" if role else "another role"
    return MissingRight(
        f"{message}: this needs {needed}, which the login does not have; `tenuto doctor` shows its roles, "
        "`tenuto db roles` prints the SQL that creates logins"
    )


class BrokenMigrations(DatabaseProblem):
    """The migration files have gaps, or differ from those that were applied."""


class NewerSchema(DatabaseProblem):
    """The database was migrated by a newer Tenuto."""


class OtherTables(DatabaseProblem):
    """The tables of the database were created by another commit of Tenuto, which was never released."""


class OtherFunctions(DatabaseProblem):
    """The database has no Tenuto schema, or lacks functions that this version calls."""


class BrokenObject(DatabaseProblem):
    """A function, view or grants file cannot be applied."""


class NotATestDatabase(DatabaseProblem):
    """A production database cannot be turned into a test database."""


class DatabaseInUse(DatabaseProblem):
    """The database cannot be replaced while processes of Tenuto use it."""


class BusyTables(DatabaseProblem):
    """The tables could not be locked for a change, because they are in constant use."""


def check_loop_ended(loop: asyncio.AbstractEventLoop) -> None:
    """Raises Unreachable if `loop`, the first event loop in which a client was used, is still open. The client's
    connections belong to this loop."""
    if not loop.is_closed():
        raise Unreachable(
            "this client belongs to another event loop, which is still open; "
            "open a client in each event loop, or use app.open_sync(), which all threads can share"
        )
