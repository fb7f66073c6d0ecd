-- Returns why no worker can take tasks of this route and group; null if a worker can. Compares the route with the
-- registration of each live worker: its labels, languages and address, and in its metadata the version of its code and,
-- if the worker is restricted, `queues`, `types` and `resource_group`.
create or replace function tenuto._why_no_worker(p_route tenuto.routes, p_group_no int)
  returns text
  language plpgsql
  stable
as $$
declare
  v_group text := (select g.external_id from tenuto.resource_groups g where g.no = p_group_no);
  v_left tenuto.workers[] := array(
    select w from tenuto.workers w
    where w.org_id = p_route.org_id and w.status in ('active', 'draining')
      and exists (select from tenuto.sessions s
                  where s.org_id = w.org_id
                    and s.worker_id = w.id
                    and s.ended_at is null
                    and s.expires_at >= tenuto.now()));
begin
  if cardinality(v_left) = 0 then
    return 'no worker is alive';
  end if;
  v_left := array(select w from unnest(v_left) w where p_route.language = any (w.languages));
  if cardinality(v_left) = 0 then
    return format('no worker alive runs language %s', p_route.language);
  end if;
  v_left := array(select w from unnest(v_left) w where p_route.labels <@ w.labels);
  if cardinality(v_left) = 0 then
    return format('no worker alive has label%s %s', case when cardinality(p_route.labels) > 1 then 's' end,
      array_to_string(p_route.labels, ' and '));
  end if;
  v_left := array(select w from unnest(v_left) w where p_route.addresses = '{}' or w.address = any (p_route.addresses));
  if cardinality(v_left) = 0 then
    return case when p_route.addresses = '{nowhere}'
                then 'its inputs are held in different places, and no worker reaches them all'
                else format('no worker alive is at %s, where its inputs are held',
                  array_to_string(p_route.addresses, ' or ')) end;
  end if;
  v_left := array(
    select w
    from unnest(v_left) w
    where jsonb_typeof(w.metadata -> 'queues') is distinct from 'array' or w.metadata -> 'queues' ? p_route.queue);
  if cardinality(v_left) = 0 then
    return format('no worker alive serves queue %s', p_route.queue);
  end if;
  v_left := array(
    select w from unnest(v_left) w
    where jsonb_typeof(w.metadata -> 'types') is distinct from 'array'
       or w.metadata -> 'types' ? p_route.type
       or (w.metadata ? 'bundles'
           and exists (select from tenuto.bundle_types b where b.org_id = w.org_id and b.type = p_route.type)));
  if cardinality(v_left) = 0 then
    return case when starts_with(p_route.type, 'tenuto.python.')
                then format('no worker alive has the function %s', substr(p_route.type, 15))
                when exists (
                  select from tenuto.bundle_types b where b.org_id = p_route.org_id and b.type = p_route.type)
                then format('%s is a task of a bundle, and no worker alive runs bundles: start one with '
                  '`tenuto worker --bundles`', p_route.type)
                else format('no worker alive has task type %s', p_route.type) end;
  end if;
  v_left := array(select w from unnest(v_left) w where coalesce(w.metadata ->> 'resource_group', v_group) = v_group);
  if cardinality(v_left) = 0 then
    return format('no worker alive serves resource group %s', v_group);
  end if;
  v_left := array(
    select w from unnest(v_left) w where tenuto._code_version(w, p_route.type) <> all (p_route.blocked_versions));
  if cardinality(v_left) = 0 then
    return format('no worker alive has other code than version %s, which cannot continue it',
      array_to_string(p_route.blocked_versions, ' or '));
  end if;
  if not exists (select from unnest(v_left) w where w.status = 'active') then
    return format('every worker that could take it is draining (%s)',
      (select string_agg(w.id, ', ') from (select * from unnest(v_left) limit 3) w));
  end if;
  return null;
end
$$;
