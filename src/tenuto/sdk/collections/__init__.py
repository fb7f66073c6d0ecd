"""The things that an org has besides runs and schedules, as clients see them: one module per kind, async and sync."""
