-- Deletes a destination. Effects for this destination fail until it is created again; after 20 attempts they are dead.
create or replace function tenuto.delete_destination(p_org_id uuid, p_name text)
  returns void
  language plpgsql
as $$
begin
  delete from tenuto.destinations where org_id = p_org_id and name = p_name;
  if not found then
    perform tenuto._raise('TN001', format('no destination %L', left(p_name, 100)),
      'list the destinations to see which exist');
  end if;
  perform tenuto._audit(p_org_id, 'destination', p_name, 'delete');
end
$$;
