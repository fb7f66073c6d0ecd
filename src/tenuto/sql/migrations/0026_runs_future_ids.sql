-- A UUIDv7 of a far future, for which there is no partition, is refused.
-- The body is in runs/_refuse_future_ids.sql; a trigger needs a function to be there.
create function tenuto._refuse_future_ids() returns trigger language plpgsql as $$ begin return new; end $$;
create trigger ids_are_not_of_the_future before insert on tenuto.runs_default
  for each row when (substr(new.id::text, 15, 1) = '7') execute function tenuto._refuse_future_ids();
create trigger ids_are_not_of_the_future before insert on tenuto.tasks_default
  for each row when (substr(new.id::text, 15, 1) = '7') execute function tenuto._refuse_future_ids();
