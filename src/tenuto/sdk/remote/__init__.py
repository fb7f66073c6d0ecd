"""The way to Tenuto that leads over HTTP."""
