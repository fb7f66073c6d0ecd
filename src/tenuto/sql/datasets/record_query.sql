-- Records in the audit log that a client with a database connection runs a query, or that a query was refused: its text
-- without literals, and the dataset versions that it reads.
create or replace function tenuto.record_query(
  p_org_id uuid, p_query_id uuid, p_action text, p_shape text, p_versions jsonb default '[]')
  returns void
  language plpgsql
as $$
begin
  if p_action is null or p_action not in ('run', 'deny') then
    perform tenuto._raise('TN003', format('a query cannot be recorded as %s', coalesce(p_action, 'null')),
      'write run or deny');
  end if;
  perform tenuto._audit(p_org_id, 'query', p_query_id::text, p_action,
    jsonb_build_object('shape', left(p_shape, 4096), 'versions', p_versions));
end
$$;
