-- The dispatchers that said within the last hour that they live, newest beat first.
create or replace function tenuto.list_dispatchers()
  returns setof tenuto.dispatchers
  language sql
  stable
as $$
  select d.* from tenuto.dispatchers d order by d.heartbeat desc, d.id;
$$;
