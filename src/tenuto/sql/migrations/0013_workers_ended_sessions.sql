-- Sessions that have just ended, whose attempts are to be given back; and old ones, to be pruned.
create index sessions_ended_idx on tenuto.sessions (ended_at) where ended_at is not null;
