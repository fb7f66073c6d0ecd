"""Builds task graphs and turns them into start requests."""
