"""Where large data objects are kept."""
