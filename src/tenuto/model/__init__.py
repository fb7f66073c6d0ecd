"""Defines the values and errors of Tenuto as frozen dataclasses; does no I/O."""
