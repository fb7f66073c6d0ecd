"""The operations that commands and collections call: interfaces, each implemented over SQL and over HTTP."""
