-- pending -> queued, for copies that wait for no other task. Returns the queued tasks to make ready, in the order of
-- the original tasks.
create or replace function tenuto._release_copies(p_base uuid, p_old uuid[])
  returns tenuto.queued_task[]
  language plpgsql
as $$
declare
  v_ids uuid[] := array(select tenuto._copy_id(p_base, o) from unnest(p_old) o);
  v_queued tenuto.queued_task[] := tenuto._count_down(v_ids, array_fill(1, array[cardinality(v_ids)]));
begin
  return array(
    select c
    from unnest(v_queued) c
    cross join lateral (select t.place from tenuto.tasks t where t.id = c.id limit 1) t
    order by t.place, c.id);
end
$$;
