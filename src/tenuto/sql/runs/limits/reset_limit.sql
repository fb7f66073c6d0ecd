-- Removes the size that set_limit has set for a limit. Then the limit has the size that workers declared. If none is
-- declared, it has the size that the next start passes. Raises TN001 if no size was set.
create or replace function tenuto.reset_limit(p_org_id uuid, p_scope text, p_key text)
  returns void
  language plpgsql
as $$
begin
  perform tenuto._require_read_committed();
  delete from tenuto.limit_overrides where org_id = p_org_id and scope = p_scope and key = p_key;
  if not found then
    perform tenuto._raise('TN001', format('limit %s of scope %s has no override', left(p_key, 256), p_scope),
      'list the limits to see which are overridden');
  end if;
  perform tenuto._resize_limit(p_org_id, p_scope, p_key);
  perform tenuto._audit(p_org_id, 'limit', left(p_scope || ':' || p_key, 1024), 'reset');
end
$$;
