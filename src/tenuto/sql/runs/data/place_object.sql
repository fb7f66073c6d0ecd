-- Sets the addresses of the workers that have a data object. Hard: only workers at one of these addresses can run tasks
-- with the object as an input. Soft: workers at these addresses are preferred for two seconds. Replaces the earlier
-- addresses.
create or replace function tenuto.place_object(
  p_org_id uuid, p_object_id uuid, p_addresses text[], p_hard boolean default false)
  returns void
  language plpgsql
as $$
begin
  -- Hard addresses are part of the route of every task with the object as an input, and a route must fit into an index.
  if p_hard and octet_length(array_to_string(p_addresses, ' ')) > 500 then
    perform tenuto._raise('TN007',
      format('the %s hard addresses have more than 500 bytes together', cardinality(p_addresses)),
      'give all workers of one location the same address, or pass hard = false');
  end if;
  perform tenuto._check_names('the addresses of a data object', p_addresses, 1000);
  perform from tenuto.data_objects where org_id = p_org_id and id = p_object_id for update;
  if not found then
    perform tenuto._raise('TN001', format('no data object %s', p_object_id));
  end if;
  delete from tenuto.data_locality where org_id = p_org_id and object_id = p_object_id;
  insert into tenuto.data_locality (object_id, org_id, address, hard)
  select distinct p_object_id, p_org_id, a, p_hard from unnest(p_addresses) a;
end
$$;
