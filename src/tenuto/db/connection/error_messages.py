"""Converts errors of Postgres to messages of one line."""

from collections.abc import Generator
from contextlib import contextmanager

import psycopg
from psycopg import errors
from psycopg.conninfo import conninfo_to_dict

from tenuto.db.connection.errors import BadAddress, DatabaseProblem, MissingRight, Unreachable, lacks_right

NOT_INSTALLED = (errors.UndefinedFunction, errors.UndefinedTable, errors.UndefinedColumn, errors.InvalidSchemaName)


def place_of(url: str) -> str:
    """Return the host and port of a database's URL, for messages."""
    parts = conninfo_to_dict(url)
    return f"{parts.get('host', 'localhost')}:{parts.get('port', 5432)}"


@contextmanager
def explained(*, role: str | None = None) -> Generator[None]:
    """Converts all errors of the driver inside the block to DatabaseProblem, with a message of one line. Used around
    calls for which a user waits. `role`: a role that has the rights for the calls; the message about a missing right
    contains it."""
    try:
        yield
    except NOT_INSTALLED as error:
        raise DatabaseProblem(
            f"the database has no Tenuto schema, or one that does not match this version of Tenuto "
            f"({error.diag.message_primary}); run `tenuto db migrate`"
        ) from error
    except errors.InsufficientPrivilege as error:
        raise lacks_right(error.diag.message_primary, role=role) from error
    except MissingRight as problem:
        if not isinstance(error := problem.__cause__, errors.InsufficientPrivilege):
            raise
        raise lacks_right(error.diag.message_primary, role=role) from error
    except psycopg.ProgrammingError as error:
        if error.sqlstate is None:  # the address could not be parsed, so nothing was sent
            raise BadAddress(f"the address of the database is invalid: {str(error).strip()}") from error
        raise DatabaseProblem(f"Postgres refused: {str(error).strip().splitlines()[0]}") from error
    except psycopg.OperationalError as error:
        raise Unreachable(f"the connection to the database broke: {str(error).strip().splitlines()[0]}") from error
    except psycopg.Error as error:
        raise DatabaseProblem(f"Postgres refused: {str(error).strip().splitlines()[0]}") from error
