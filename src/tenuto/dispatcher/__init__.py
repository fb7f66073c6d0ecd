"""The process that runs the loops: what time and events do to runs."""
