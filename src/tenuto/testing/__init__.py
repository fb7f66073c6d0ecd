"""Testing of tasks: an isolated database, a clock that the test moves, and a worker inside the test."""

from tenuto.testing.clock import Clock
from tenuto.testing.isolated import Isolated, isolated, postgres

__all__ = ["Clock", "Isolated", "isolated", "postgres"]
