"""What the environment says: where the database is, or where to keep one."""

import os
from collections.abc import Mapping

from tenuto.model.environment import Environment, read_address

Settings = Environment


def read_settings(environment: Mapping[str, str] = os.environ) -> Settings:
    return read_address(environment)
