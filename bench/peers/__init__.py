"""The same work on other systems. Each system has a folder, with a program that sends tasks and one that runs them."""
