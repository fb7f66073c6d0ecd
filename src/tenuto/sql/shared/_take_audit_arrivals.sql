-- Removes and returns the calls that _audit has recorded for an org, with ids of p_floor or higher, at most p_limit
-- calls. Calls whose transaction has not committed are not visible, and are returned later. Equal starts in one
-- transaction become one entry, just as one call that starts many runs is one entry.
create or replace function tenuto._take_audit_arrivals(p_org_id uuid, p_floor uuid, p_limit bigint)
  returns setof tenuto.audit_arrivals
  language sql
as $$
  with taken as (
    delete from tenuto.audit_arrivals a
    where a.id = any (array(
      select r.id
      from tenuto.audit_arrivals r
      where r.org_id = p_org_id and r.id >= p_floor
      order by r.id
      limit p_limit
      for update skip locked))
    returning a.*, a.xmin::text as transaction
  ), entries as (
    select count(*) as count, (array_agg(t.id order by t.id))[1] as id,
           (array_agg(t.entity_id order by t.id))[1:10] as first_ids, min(t.created_at) as created_at, t.org_id,
           t.entity, t.action, t.changes, t.old, t.login, t.ip, t.application
    from taken t
    group by t.org_id, t.entity, t.action, t.changes, t.old, t.login, t.ip, t.application,
             case when t.entity = 'run' and t.action = 'start' then t.transaction else t.id::text end
  )
  select e.id, e.org_id, e.created_at, e.entity,
         case when e.count = 1 then e.first_ids[1] else format('%s and %s more', e.first_ids[1], e.count - 1) end,
         e.action,
         case when e.count = 1 then e.changes
              else e.changes || jsonb_build_object('runs', e.count, 'first_ids', e.first_ids) end,
         e.old, e.login, e.ip, e.application
  from entries e;
$$;
