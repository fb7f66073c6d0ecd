"""Object stores: where large data objects are kept."""
