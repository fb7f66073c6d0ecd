-- Creates or changes a destination: its URL, and whether it receives OpenLineage events instead of effects. An existing
-- destination keeps its secret. Effects can also be delivered to an e-mail address, or to a command that the
-- environment of the dispatcher declares. OpenLineage events can also be written to a file. Returns whether the
-- destination is new.
create or replace function tenuto.put_destination(
  p_org_id uuid, p_name text, p_url text, p_secret bytea, p_openlineage boolean default false)
  returns boolean
  language plpgsql
as $$
declare
  v_new boolean;
begin
  perform tenuto._check_name('the name of a destination', coalesce(p_name, ''));
  if coalesce(p_url !~ ('^(https?://.|(file|command):[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$'
        '|mailto:[A-Za-z0-9_+-][A-Za-z0-9._%+-]{0,63}@[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$)'), true)
      or octet_length(p_url) > 2048 then
    perform tenuto._raise('TN003', format('%L is not the URL of a destination', left(p_url, 100)),
      'write https://… with at most 2,048 bytes, mailto:ADDRESS or command:NAME; file:NAME for OpenLineage events');
  elsif p_url like 'file:%' and p_openlineage is not true then
    perform tenuto._raise('TN003', 'effects are not delivered to files', 'write https://…');
  elsif p_openlineage and p_url ~ '^(mailto|command):' then
    perform tenuto._raise('TN003', 'OpenLineage events are not delivered by e-mail or to commands',
      'write https://… or file:NAME');
  end if;
  update tenuto.destinations
  set url = p_url, openlineage = coalesce(p_openlineage, false), updated_at = tenuto.now()
  where org_id = p_org_id and name = p_name;
  v_new := not found;
  if v_new then
    insert into tenuto.destinations (org_id, name, url, secret, openlineage, created_at, updated_at)
    values (p_org_id, p_name, p_url, p_secret, coalesce(p_openlineage, false), tenuto.now(), tenuto.now());
  end if;
  perform tenuto._audit(p_org_id, 'destination', p_name, 'set', jsonb_build_object('url', p_url));
  return v_new;
end
$$;
