-- Holds a new run if it has the option hold: its tasks wait until release_run. Returns whether the run is held.
create or replace function tenuto._hold_run(p_org_id uuid, p_run_id uuid, p_run jsonb)
  returns boolean
  language plpgsql
as $$
begin
  if not coalesce((p_run ->> 'hold')::boolean, false) then
    return false;
  end if;
  insert into tenuto.held_runs (run_id, org_id, held_at) values (p_run_id, p_org_id, tenuto.now());
  return true;
end
$$;
