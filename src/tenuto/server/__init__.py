"""The HTTP server process."""
