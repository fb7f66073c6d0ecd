"""Runs attempts and reports their results."""
