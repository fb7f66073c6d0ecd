"""Controls pools: decides how many workers each pool needs, and makes its provider start and end machines."""
