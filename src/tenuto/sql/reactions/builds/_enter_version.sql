-- Makes dispatchers compute what a DAG version has missed, now that it is current (_catch_up). After a forced cutover,
-- a build may still be in progress. This build continues, unless the version was current before: it may then have
-- missed events since.
create or replace function tenuto._enter_version(p_org_id uuid, p_version_id uuid, p_replaced uuid)
  returns void
  language sql
as $$
  insert into tenuto.builds as b (dag_version_id, org_id, phase, due_at, replaced)
  values (p_version_id, p_org_id, 'catch_up', tenuto.now(), p_replaced)
  on conflict (dag_version_id) do update
    set phase = 'catch_up', due_at = excluded.due_at, position = null, cancel_until = null, replaced = p_replaced
    where b.phase not in ('start', 'follow', 'retry')
       or tenuto._missed_since(p_org_id, p_version_id) is not null
$$;
