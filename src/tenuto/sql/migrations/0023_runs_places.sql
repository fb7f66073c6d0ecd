-- seq: the place a running task had in its lane, so that it gets it back when its worker stops before it is done.
-- claim_no counts the trips of a worker process: as an int it ran out after 25 days at 1,000 trips/s.
alter table tenuto.running_tasks
  alter column claim_no type bigint,
  add column seq bigint;
