"""The same work on other systems: one folder each, with a program that sends tasks and one that runs them."""
