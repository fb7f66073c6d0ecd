"""Where user code runs: on the event loop, in threads, in processes and in sandboxes."""
