-- -> committed: adds the rows that several tasks appended to the dataset of a sink. Merges row sets of less than 10
-- pages into one, so that readers have few locations to read; larger ones stay as they are. One effect makes the
-- dispatchers route the events. Rows of a dataset version that was purged are not added. Raises TN004 if a row set is
-- missing.
create or replace function tenuto._flush_sink(p_org_id uuid, p_dag_version_id uuid, p_effects tenuto.outbox[])
  returns void
  language plpgsql
  set plan_cache_mode = force_custom_plan
as $$
declare
  v_payload jsonb := (p_effects[1]).payload;
  v_version tenuto.dataset_versions;
  v_job jsonb;
  v_sets tenuto.row_sets[];
  v_small uuid[];
  v_large tenuto.row_sets;
  v_new tenuto.row_sets;
  v_rows bigint;
  v_events uuid[] := '{}';
begin
  select v.* into v_version
  from tenuto.dataset_versions v
  where v.org_id = p_org_id and v.id = (v_payload ->> 'dataset_version_id')::uuid and v.purged_at is null
  for key share;
  if not found then
    return;
  end if;
  select j.definition into v_job
  from tenuto.jobs j
  where j.org_id = p_org_id and j.dag_version_id = p_dag_version_id and j.job_key = (v_payload ->> 'job_key')::uuid;
  v_sets := array(
    select r
    from unnest(p_effects) o
    join tenuto.row_sets r on r.org_id = p_org_id and r.location = o.payload ->> 'location'
    order by o.id
    for update of r);
  if cardinality(v_sets) < cardinality(p_effects) then
    perform tenuto._raise('TN004', format('rows that a task appended to %s are gone', v_version.storage_location));
  end if;

  foreach v_large in array array(select s from unnest(v_sets) s where s.pages >= 10)
  loop
    v_events := v_events || tenuto._commit_rows(v_large, null,
      (select o.payload ->> 'fingerprint' from unnest(p_effects) o where o.payload ->> 'location' = v_large.location),
      v_version.schema_hash);
  end loop;
  v_small := array(select s.id from unnest(v_sets) with ordinality s where s.pages < 10 order by s.ordinality);
  if v_small <> '{}' then
    v_new.id := tenuto._uuid7();
    v_new.location := v_version.storage_location || 'sink/' || v_new.id || '-0/';
    select m.pages, m.rows into v_new.pages, v_rows
    from tenuto._merge_rows(v_version.id, v_new.id, v_small, v_job #> '{outputs,0,columns}', v_job -> 'unique_key') m;
    delete from tenuto.row_sets where id = any (v_small);
    insert into tenuto.row_sets
      (id, org_id, dataset_version_id, location, task_id, attempt, pages, committed, created_at)
    values (v_new.id, p_org_id, v_version.id, v_new.location, v_new.id, 0, v_new.pages, true, tenuto.now())
    returning * into v_new;
    v_events := v_events || tenuto._commit_rows(v_new, v_rows, (
      select encode(sha256(string_agg(o.payload ->> 'fingerprint', '' order by o.id)::bytea), 'hex')
      from unnest(p_effects) o), v_version.schema_hash);
  end if;
  perform tenuto._publish(p_org_id, 'route_event', array[jsonb_build_object('events', to_jsonb(v_events), 'job_key',
    v_payload -> 'job_key', 'dag_version_id', p_dag_version_id, 'sink', true)], p_keys => array[v_events[1]::text]);
end
$$;
