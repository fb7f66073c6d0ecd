"""Names the test that opened a connection and did not close it: the warning comes when the connection is collected as
garbage, most often in another test."""

import os
import warnings
from typing import Any

from psycopg import BaseConnection

_create: Any = BaseConnection.__init__
_delete: Any = BaseConnection.__del__


def name_unclosed_connections() -> None:
    connection: Any = BaseConnection
    connection.__init__ = _create_in_test
    connection.__del__ = _delete_and_name


def _create_in_test(self: Any, pgconn: Any) -> None:
    _create(self, pgconn)
    self.opened_in = os.environ.get("PYTEST_CURRENT_TEST", "no test")


def _delete_and_name(self: Any) -> None:
    def warn(message: str, category: type[Warning]) -> None:
        warnings.warn(f"{message} (opened in {self.opened_in})", category, stacklevel=2)

    _delete(self, warn)
