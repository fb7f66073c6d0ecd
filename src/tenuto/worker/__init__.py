"""The worker: a supervisor process that sends heartbeats, and child processes that claim and run tasks."""
