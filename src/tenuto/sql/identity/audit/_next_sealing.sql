-- Returns when seal_audit has something to do, for list_due_maintenance: now, or null for never. p_floor: of the calls
-- that _audit has recorded, only those with this id or a greater one are read.
create or replace function tenuto._next_sealing(p_floor uuid)
  returns timestamptz
  language sql
  stable
as $$
  select least(
    (select tenuto.now() from tenuto.audit_unsealed u
     where not exists (select from tenuto.parked_rows p where p.loop = 'seal_audit' and p.key = u.org_id::text)
     order by u.id limit 1),
    (select tenuto.now() from tenuto.audit_arrivals r
     where r.id >= p_floor
       and not exists (select from tenuto.parked_rows p where p.loop = 'seal_audit' and p.key = r.org_id::text)
     order by r.id limit 1));
$$;
