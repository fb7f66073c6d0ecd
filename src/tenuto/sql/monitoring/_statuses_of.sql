-- Returns the statuses in a filter of runs (p_entity run) or tasks (task), each once; null for any status. Raises TN003
-- for an unknown status.
create or replace function tenuto._statuses_of(p_entity text, p_status text, p_statuses text[])
  returns text[]
  language plpgsql
  immutable
as $$
declare
  v_statuses text[] := tenuto._distinct_texts(p_status, p_statuses);
  v_known text[] := case p_entity
    when 'run' then '{pending,running,retrying,completed,failed,cancelled}'::text[]
    else '{pending,queued,running,retrying,waiting,completed,failed,cancelled,skipped}'::text[] end;
begin
  if not v_statuses <@ v_known then
    perform tenuto._raise('TN003',
      format('%L is not a status of a %s',
        (select s from unnest(v_statuses) s where s <> all (v_known) limit 1), p_entity),
      format('write %s or %s', array_to_string(trim_array(v_known, 1), ', '), v_known[cardinality(v_known)]));
  end if;
  return v_statuses;
end
$$;
