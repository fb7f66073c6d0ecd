"""The process that speaks HTTP."""
