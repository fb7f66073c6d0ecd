-- Records the times at which a new run is cancelled: deadline_seconds after its start unless it has ended by then, and
-- expires_seconds after its start unless one of its tasks has begun by then.
create or replace function tenuto._add_deadlines(p_org_id uuid, p_run_id uuid, p_run jsonb)
  returns void
  language plpgsql
as $$
begin
  if not p_run ?| array['deadline_seconds', 'expires_seconds'] then
    return;
  end if;
  insert into tenuto.run_deadlines (run_id, kind, org_id, at)
  select p_run_id, d.kind, p_org_id, tenuto.now() + make_interval(secs => d.seconds)
  from (values ('deadline', (p_run ->> 'deadline_seconds')::float8),
               ('expires', (p_run ->> 'expires_seconds')::float8)) as d(kind, seconds)
  where d.seconds is not null;
end
$$;
