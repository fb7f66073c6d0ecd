-- Where dispatchers begin to read audit_arrivals, as with the other floors of due work.
alter table tenuto.due_floors
  add column audit_id uuid not null default '00000000-0000-0000-0000-000000000000';
