"""One worker process: claims tasks and hands them to executors."""
