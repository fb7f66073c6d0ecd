-- Returns the newest of these runs, as many as one call can process: at least one run, and at most 1,000 tasks together
-- (_request_piece). A call with more tasks could exceed the statement timeout of a server, and repeating it would never
-- make progress. A large run counts as one task, because advance_requests processes its tasks later. p_per_run: this
-- number is added to the number of tasks of each run. next_before: the last of the returned runs if runs of p_ids
-- remain, otherwise p_next_before.
create or replace function tenuto._one_piece(
  p_ids uuid[], p_next_before uuid, p_per_run int, out ids uuid[], out next_before uuid)
  language plpgsql
  stable
as $$
begin
  ids := array(
    select c.id
    from (
      select i as id,
             row_number() over newest_first as no,
             sum(p_per_run + case when tenuto._is_large(r) then 1 else coalesce(r.total, 1) end)
               over newest_first as tasks
      from unnest(p_ids) i
      left join tenuto.runs r on r.id = i
      window newest_first as (order by i desc)
    ) c
    where c.no = 1 or c.tasks <= tenuto._request_piece()
    order by c.id desc);
  next_before := case when cardinality(ids) < cardinality(p_ids) then ids[cardinality(ids)] else p_next_before end;
end
$$;
