-- Writes reactions and returns the ids of the events whose reaction is new. With p_again, the events waited for the
-- job: replaces their reaction `paused`, unless the new reaction is `paused` too.
create or replace function tenuto._write_reactions(p_reactions tenuto.event_reactions[], p_again boolean)
  returns uuid[]
  language plpgsql
as $$
declare
  v_ids uuid[];
begin
  if p_again then
    with written as (
      update tenuto.event_reactions r
      set reaction = n.reaction,
          reason = n.reason,
          task_id = n.task_id,
          partition_key = n.partition_key
      from unnest(p_reactions) n
      where r.event_id = n.event_id and r.job_id = n.job_id
        and r.reaction = 'paused' and n.reaction <> 'paused'
      returning r.event_id
    )
    select array_agg(w.event_id) into v_ids from written w;
  else
    with written as (
      insert into tenuto.event_reactions (event_id, job_id, org_id, job_key, dag_version_id, partition_key, reaction,
        reason, task_id, created_at)
      select n.event_id, n.job_id, n.org_id, n.job_key, n.dag_version_id, n.partition_key, n.reaction, n.reason,
             n.task_id, tenuto.now()
      from unnest(p_reactions) n
      order by n.event_id, n.job_id
      on conflict (event_id, job_id) do nothing
      returning event_id
    )
    select array_agg(w.event_id) into v_ids from written w;
  end if;
  return coalesce(v_ids, '{}');
end
$$;
