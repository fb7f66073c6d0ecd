"""Controls pools: decides how many workers they need, and has their providers start and end machines."""
