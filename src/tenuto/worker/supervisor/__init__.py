"""The parent process: starts worker processes, sends heartbeats, restarts what dies."""
