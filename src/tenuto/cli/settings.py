"""What the environment says: where the database is, or where to keep one."""

import os
from collections.abc import Mapping

from tenuto.model.environment import Address, read_address

Settings = Address


def read_settings(environment: Mapping[str, str] = os.environ) -> Settings:
    return read_address(environment)
