-- Sets the size of a concurrency limit until reset_limit is called. Until then, workers, jobs, deploys and starts do
-- not change it. Works even for a limit that no task has used yet. Tasks that hold a slot keep it. Idempotent.
create or replace function tenuto.set_limit(p_org_id uuid, p_scope text, p_key text, p_size int)
  returns void
  language plpgsql
as $$
declare
  v_old int := (
    select o.size from tenuto.limit_overrides o where o.org_id = p_org_id and o.scope = p_scope and o.key = p_key);
begin
  perform tenuto._require_read_committed();
  if p_scope = 'rate' then
    perform tenuto._raise('TN003', 'the size of a rate cannot be set', 'change it where the rate is declared');
  end if;
  perform tenuto._check_limits(
    jsonb_build_array(jsonb_build_object('scope', p_scope, 'key', p_key, 'size', p_size)));
  insert into tenuto.limit_overrides (org_id, scope, key, size, set_at)
  values (p_org_id, p_scope, p_key, p_size, tenuto.now())
  on conflict (org_id, scope, key) do update set size = excluded.size, set_at = excluded.set_at;
  perform tenuto._resize_limit(p_org_id, p_scope, p_key);
  perform tenuto._audit(p_org_id, 'limit', left(p_scope || ':' || p_key, 1024), 'set',
    jsonb_build_object('size', p_size), jsonb_build_object('size', v_old));
end
$$;
