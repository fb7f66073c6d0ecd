-- Moves the cursors of jobs past events that start no task of the job, because they are unchanged, filtered out or not
-- mapped. Does not move a cursor past an event that waits for the same partition of another input.
create or replace function tenuto._pass_events(p_org_id uuid, p_decisions tenuto.event_decision[])
  returns void
  language sql
as $$
  select tenuto._move_cursors(array_agg(e.org_id), array_agg(d.job_key), array_agg(e.dataset_version_id),
           array_agg(e.id), array_agg(null::uuid))
  from unnest(p_decisions) d
  join tenuto.events e on e.id = d.event_id and e.org_id = p_org_id
  where d.reaction = 'filtered' and d.reason not like 'this partition is not committed yet%'
    and e.dataset_version_id is not null
  having count(*) > 0;
$$;
