"""The routes that workers call (`/internal/*`)."""
