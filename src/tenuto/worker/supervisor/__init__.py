"""The parent process: starts child processes, sends heartbeats, restarts processes that die."""
