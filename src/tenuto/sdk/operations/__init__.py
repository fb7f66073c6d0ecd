"""The operations of the command line beyond those of a client: one interface, over SQL and over HTTP."""
