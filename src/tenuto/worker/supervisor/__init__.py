"""The parent process: starts worker processes, sends heartbeats, restarts processes that die."""
