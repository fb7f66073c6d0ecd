-- What holds a data object has a copy: the copy holds it too, so that neither loses it when the other is deleted.
create or replace function tenuto._copy_references(p_old uuid[], p_new uuid[])
  returns void
  language sql
as $$
  insert into tenuto.data_references (object_id, holder, holder_id, org_id)
  select r.object_id, r.holder, m.new, r.org_id
  from unnest(p_old, p_new) m(old, new)
  join tenuto.data_references r on r.holder_id = m.old and r.holder in ('run', 'task')
  on conflict do nothing;
$$;
