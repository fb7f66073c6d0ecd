-- Makes jobs react to events of the outputs that they read: writes one reaction per event and job, and starts tasks.
-- With p_job_id, only this job reacts, to events that waited for it. Jobs of the DAGs in p_without do not react. If the
-- tasks of a job cannot be started, its reactions are filtered, with the error as the reason; the other jobs still
-- react. Returns how many reactions are new. The caller has locked the DAGs of the consumers.
create or replace function tenuto._react(
  p_org_id uuid, p_event_ids uuid[], p_job_id uuid default null, p_without uuid[] default '{}')
  returns int
  language plpgsql
as $$
declare
  v_decisions tenuto.event_decision[] := array(
    select d::tenuto.event_decision from tenuto._decide(p_org_id, p_event_ids, p_job_id, p_without) d);
  v_again boolean := p_job_id is not null;
  v_job record;
  v_count int;
begin
  v_count := cardinality(tenuto._write_reactions(array(
    select (d.event_id, d.job_id, p_org_id, d.job_key, d.dag_version_id, d.partitions[1], d.reaction, d.reason, null,
            null)::tenuto.event_reactions
    from unnest(v_decisions) d
    where d.reaction <> 'triggered'), v_again));
  perform tenuto._pass_events(p_org_id, v_decisions) where v_count > 0;

  for v_job in
    select d.job_id, array_agg(d order by d.event_id) as decisions
    from unnest(v_decisions) d
    where d.reaction = 'triggered'
    group by d.job_id
    order by d.job_id   -- all callers lock in this order
  loop
    begin
      v_count := v_count + tenuto._start_reactions(p_org_id, v_job.decisions, v_again);
    exception
      when others then
        if sqlstate !~ '^(TN|22|23)' then
          raise;   -- such as a deadlock: the caller tries all events again
        end if;
        v_count := v_count + cardinality(tenuto._write_reactions(array(
          select (d.event_id, d.job_id, p_org_id, d.job_key, d.dag_version_id, d.partitions[1], 'filtered',
                  left('no task could be started: ' || sqlerrm, 250), null, null)::tenuto.event_reactions
          from unnest(v_job.decisions) d), v_again));
    end;
  end loop;
  return v_count;
end
$$;
