"""Starts runs and reads their results, over SQL or over HTTP."""
