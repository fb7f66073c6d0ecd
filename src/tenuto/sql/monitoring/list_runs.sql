-- Returns a page of the org's runs, newest first, starting before p_before; or with p_after, oldest first, starting
-- after p_after. p_type: only runs that began with a task of that type. p_statuses: only runs with one of these
-- statuses. p_since, p_until: only runs created at or after p_since and before p_until. p_dedupe_key: the run with that
-- key, in the scope of p_name or p_type. p_metadata: only runs whose metadata contains it (@>). Some searches read only
-- the 10,000 runs next to p_before or p_after: searches for completed runs, for runs of a type, for a status together
-- with p_after or p_name, and for metadata together with another filter. All other searches for failed or cancelled
-- runs, for runs that have not ended, or for metadata find the runs whatever their age.
create or replace function tenuto.list_runs(
  p_org_id uuid, p_status text default null, p_name text default null, p_type text default null,
  p_before uuid default null, p_limit int default 50, p_after uuid default null, p_dedupe_key text default null,
  p_since timestamptz default null, p_statuses text[] default null, p_until timestamptz default null,
  p_metadata jsonb default null)
  returns table (
    id uuid, name text, type text, status text, resource_group text, attempt int, max_attempts int, total_tasks int,
    completed_tasks int, failed_tasks int, cancelled_tasks int, skipped_tasks int, retry_of uuid,
    retried_by uuid, created_at timestamptz, started_at timestamptz, completed_at timestamptz, duration_seconds float8,
    error jsonb, cancel_reason text)
  language plpgsql
  stable
  set plan_cache_mode = force_custom_plan
  set jit = off
as $$
declare
  v_ids uuid[];
  v_statuses text[] := tenuto._statuses_of('run', p_status, p_statuses);
begin
  perform tenuto._check_page(p_limit);
  perform tenuto._check_metadata_filter(p_metadata, p_after, case when p_dedupe_key is not null then 'dedupe_key' end);

  if p_dedupe_key is not null then
    if p_name is null and p_type is null then
      perform tenuto._raise('TN003', 'dedupe_key is set without type or name',
        'a dedupe key belongs to a type or a name: pass one of them as well');
    end if;
    v_ids := array(
      select d.run_id
      from tenuto.dedupe_keys d
      where d.org_id = p_org_id and d.scope = coalesce(p_name, p_type) and d.key = p_dedupe_key);
  elsif p_after is not null then
    v_ids := array(
      select r.id
      from tenuto.runs r
      where r.org_id = p_org_id and r.id > p_after and (p_name is null or r.name = p_name)
        and (p_since is null or r.id >= tenuto._uuid7_floor(p_since))
        and (p_until is null or r.id < tenuto._uuid7_floor(p_until))
      order by r.id
      limit case when v_statuses is null and p_type is null then p_limit else 10000 end);
  else
    select f.ids into v_ids
    from tenuto._find_runs_in(p_org_id, v_statuses, p_name, p_type, p_since, p_until, p_before, p_limit,
      p_metadata) f;
  end if;

  return query
  select s.*
  from tenuto._run_rows(v_ids) s
  where (v_statuses is null or s.status = any (v_statuses))
    and (p_name is null or s.name = p_name)
    and (p_type is null or s.type = p_type or p_dedupe_key is not null)
    and (p_since is null or s.created_at >= p_since)
    and (p_until is null or s.created_at < p_until)
  order by case when p_after is not null then s.id end, s.id desc
  limit p_limit;
end
$$;
