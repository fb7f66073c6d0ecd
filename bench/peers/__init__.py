"""The same work on other systems: one folder each, with the program that sends tasks and the one that runs them."""
