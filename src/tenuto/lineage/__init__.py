"""Lineage of columns, and the events that report it. Pure: reads and writes nothing."""
