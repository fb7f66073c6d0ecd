-- Adds the newest rows to the BRIN indexes on time, for a caller that then searches for changes. The indexes cover only
-- summarized pages, and autovacuum summarizes only about once a minute. Returns how many page ranges were added; 0 if
-- another transaction is adding them.
create or replace function tenuto.index_recent_changes()
  returns int
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
  set lock_timeout = '20ms'
as $$
declare
  v_count int;
begin
  select coalesce(sum(brin_summarize_new_values(i.inhrelid)), 0)
  into v_count
  from pg_inherits i
  where i.inhparent in ('tenuto.runs_created_idx'::regclass, 'tenuto.runs_ended_idx'::regclass,
    'tenuto.task_attempts_ended_idx'::regclass);
  return v_count;
exception when lock_not_available then
  return 0;
end
$$;
