"""The process that runs the maintenance loops, which react to time and events."""
