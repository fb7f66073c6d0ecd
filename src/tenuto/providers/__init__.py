"""Providers, which start and end the machines of pools. There is one module per kind of provider; `base.py` has their
interface."""
