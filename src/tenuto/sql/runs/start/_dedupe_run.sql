-- Stores the dedupe key of one run. The scope of the key is the name of the run. If the run has no name, it is the type
-- of the first kind in p_kinds. Returns the run that has the key, and whether that run is new.
create or replace function tenuto._dedupe_run(
  p_org_id uuid, p_run_id uuid, p_key text, p_name text, p_kinds tenuto.task_spec[], out run_id uuid,
  out created boolean)
  language plpgsql
as $$
declare
  v_scope text := coalesce(p_name, (select r.type from tenuto.routes r where r.id = (p_kinds[1]).route_id));
begin
  perform tenuto._require_read_committed('a start with a dedupe key');
  perform tenuto._check_name('the dedupe key of the run', coalesce(p_key, ''), 1024);
  insert into tenuto.dedupe_keys (org_id, scope, key, run_id, created_at)
  values (p_org_id, v_scope, p_key, p_run_id, tenuto.now())
  on conflict on constraint a_key_is_taken_once do nothing;
  created := found;

  -- A second statement: the first may have waited for a concurrent start that its snapshot does not show.
  select d.run_id into strict run_id
  from tenuto.dedupe_keys d
  where d.org_id = p_org_id and d.scope = v_scope and d.key = p_key;
end
$$;
