"""Lineage of columns, and the events that report it. This package does no I/O."""
