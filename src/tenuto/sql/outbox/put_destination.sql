-- Creates a destination, or changes the URL of an existing one, which keeps its secret. Returns whether it is new.
create or replace function tenuto.put_destination(p_org_id uuid, p_name text, p_url text, p_secret bytea)
  returns boolean
  language plpgsql
as $$
declare
  v_new boolean;
begin
  perform tenuto._check_name('the name of a destination', coalesce(p_name, ''));
  if p_url is null or p_url !~ '^https?://.' or octet_length(p_url) > 2048 then
    perform tenuto._raise('TN003', format('%L is not the URL of a destination', left(p_url, 100)),
      'write https://… with at most 2,048 bytes');
  end if;
  update tenuto.destinations
  set url = p_url, updated_at = tenuto.now()
  where org_id = p_org_id and name = p_name;
  v_new := not found;
  if v_new then
    insert into tenuto.destinations (org_id, name, url, secret, created_at, updated_at)
    values (p_org_id, p_name, p_url, p_secret, tenuto.now(), tenuto.now());
  end if;
  perform tenuto._audit(p_org_id, 'destination', p_name, 'set', jsonb_build_object('url', p_url));
  return v_new;
end
$$;
