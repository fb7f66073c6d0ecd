-- Makes dispatchers compute what a DAG version has missed, now that it is current (_catch_up). After a forced cutover,
-- the build of the version may still be in progress. It then continues, unless the version was current before and
-- another version replaced it: since then, the version may have missed events.
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
