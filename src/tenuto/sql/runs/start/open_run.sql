-- -> pending: opens a run without tasks. add_tasks adds tasks to it; close_run says that no more tasks will come. Until
-- then the run does not end, because its total is one more than its number of tasks. p_run has the options of
-- start_run, except outputs. A dedupe key needs a name, because the name is the scope of the key. With hold, the tasks
-- that are added wait until release_run. If a run of the org already has the id in p_run, or the same name and dedupe
-- key, returns that run and created = false.
create or replace function tenuto.open_run(p_org_id uuid, p_run jsonb default '{}')
  returns table (run_id uuid, created boolean)
  language plpgsql
as $$
declare
  v_run tenuto.runs;
begin
  perform tenuto._check_keys('an open run', p_run,
    array['id', 'name', 'group', 'dedupe_key', 'max_attempts', 'input', 'metadata', 'deadline_seconds',
          'expires_seconds', 'hold']);
  v_run := tenuto._read_run(p_org_id, p_run);
  v_run.id := coalesce(v_run.id, tenuto._uuid7());
  if p_run ? 'dedupe_key' then
    if v_run.name is null then
      perform tenuto._raise('TN003', 'an open run has a dedupe key, but no name', 'pass a name: keys belong to a name');
    end if;
    select d.run_id, d.created into run_id, created
    from tenuto._dedupe_run(p_org_id, v_run.id, p_run ->> 'dedupe_key', v_run.name, null) d;
    if not created then
      return next;
      return;
    end if;
  end if;

  v_run.single_task := false;
  v_run.status := 'pending';
  v_run.open := true;
  v_run.total := 1;
  v_run.completed := 0;
  v_run.failed := 0;
  v_run.cancelled := 0;
  v_run.skipped := 0;
  v_run.untolerated_failures := 0;
  insert into tenuto.runs select v_run.* on conflict (id) do nothing;
  if not found then
    perform tenuto._check_known_id(p_org_id, v_run.id);
    return query select v_run.id, false;
    return;
  end if;
  if p_run ? 'id' then
    perform tenuto._refuse_used_ids(array[v_run.id], false);
  end if;
  perform tenuto._add_deadlines(p_org_id, v_run.id, p_run);
  perform tenuto._hold_run(p_org_id, v_run.id, p_run);
  insert into tenuto.open_runs (run_id, org_id, opened_at) values (v_run.id, p_org_id, tenuto.now());
  perform tenuto._audit(p_org_id, 'run', v_run.id::text, 'open', jsonb_build_object('name', v_run.name));
  return query select v_run.id, true;
end
$$;
