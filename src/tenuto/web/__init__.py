"""The dashboard as built files in `dist`; their source is the folder `web` of the repository."""
