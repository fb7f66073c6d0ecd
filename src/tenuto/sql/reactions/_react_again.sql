-- Routes a page of the events that waited for a version of a DAG ({"version": …}) or for a paused job ({"job": …}).
-- Returns the payload for the next page; null after the last page. Events that must wait longer stay paused.
create or replace function tenuto._react_again(p_org_id uuid, p_payload jsonb, p_limit int)
  returns jsonb
  language plpgsql
  set plan_cache_mode = force_custom_plan
as $$
declare
  v_page record;
  v_last_job uuid;
  v_last_event uuid;
  v_count int := 0;
begin
  for v_page in
    select w.job_id, array_agg(w.event_id order by w.event_id) as events
    from (
      select r.job_id, r.event_id
      from tenuto.jobs j
      cross join lateral (
        select r.job_id, r.event_id
        from tenuto.event_reactions r
        where r.org_id = p_org_id and r.job_id = j.id and r.reaction = 'paused'
          and (j.id <> coalesce((p_payload ->> 'after_job')::uuid, j.id) or p_payload ->> 'after_event' is null
               or r.event_id > (p_payload ->> 'after_event')::uuid)
        order by r.event_id
        limit p_limit) r
      where j.org_id = p_org_id
        and (j.dag_version_id = (p_payload ->> 'version')::uuid or j.job_key = (p_payload ->> 'job')::uuid)
        and (p_payload ->> 'after_job' is null or j.id >= (p_payload ->> 'after_job')::uuid)
      order by r.job_id, r.event_id
      limit p_limit) w
    group by w.job_id
    order by w.job_id
  loop
    perform tenuto._react(p_org_id, v_page.events, v_page.job_id);
    v_count := v_count + cardinality(v_page.events);
    v_last_job := v_page.job_id;
    v_last_event := v_page.events[cardinality(v_page.events)];
  end loop;
  return case when v_count >= p_limit
    then p_payload || jsonb_build_object('after_job', v_last_job, 'after_event', v_last_event) end;
end
$$;
