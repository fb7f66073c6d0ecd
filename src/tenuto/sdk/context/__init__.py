"""What a running task can do: its context, `ctx`."""
