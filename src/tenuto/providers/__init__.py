"""Starts and ends the machines of pools. One module per kind of provider; `base.py` is their interface."""
