"""Starts runs from request bodies."""
