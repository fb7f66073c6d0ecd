"""Testing tasks: a database of their own, a clock that is moved by hand, and a worker inside the test."""

from tenuto.testing.clock import Clock
from tenuto.testing.isolated import Isolated, isolated, postgres

__all__ = ["Clock", "Isolated", "isolated", "postgres"]
