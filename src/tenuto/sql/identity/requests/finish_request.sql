-- Stores the response of a request that began with begin_request, so that repeated requests get the same response.
create or replace function tenuto.finish_request(
  p_org_id uuid, p_actor text, p_key text, p_status int, p_response jsonb)
  returns void
  language plpgsql
as $$
begin
  update tenuto.idempotency_keys
  set status = p_status, response = p_response
  where org_id = p_org_id
    and actor = p_actor
    and key = p_key
    and status is null;
  if not found then
    perform tenuto._raise('TN004', format('no request with idempotency key %L is in progress', p_key));
  end if;
end
$$;
