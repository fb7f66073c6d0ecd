-- Replaces the secret of a destination: the next delivery is signed with the new secret.
create or replace function tenuto.rotate_destination(p_org_id uuid, p_name text, p_secret bytea)
  returns void
  language plpgsql
as $$
begin
  update tenuto.destinations
  set secret = p_secret, updated_at = tenuto.now()
  where org_id = p_org_id and name = p_name;
  if not found then
    perform tenuto._raise('TN001', format('no destination %L', left(p_name, 100)),
      'list the destinations to see which exist');
  end if;
  perform tenuto._audit(p_org_id, 'destination', p_name, 'rotate');
end
$$;
