-- Returns the loops in p_loops that this dispatcher runs now (workers/take_loops), and in how many seconds each of them
-- has something to do (list_due_maintenance). Called by a dispatcher at every tick. Returns no rows if other
-- dispatchers run all of these loops, or if the database is a copy, on which no loop runs (_copy_problem).
create or replace function tenuto.take_due_maintenance(
  p_dispatcher_id uuid, p_loops text[], p_installation text default null, p_store text default null)
  returns table (what text, due_in_seconds float8)
  language plpgsql
as $$
declare
  v_mine text[];
begin
  if tenuto._copy_problem(p_installation, p_store) is not null then
    return;
  end if;
  v_mine := array(select tenuto.take_loops(p_dispatcher_id, p_loops));
  if cardinality(v_mine) > 0 then
    return query
    select m.what, d.due_in_seconds
    from unnest(v_mine) m(what)
    left join tenuto.list_due_maintenance() d on d.what = m.what;
  end if;
end
$$;
