"""Where user code runs: on the loop, in threads, in processes."""
