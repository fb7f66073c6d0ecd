-- Deletes staged rows of datasets in Postgres, if the rows belong to no commit a day after they were staged, unless the
-- attempt that staged them still runs. Row sets with a commit are marked, so that each is checked only once. Checks up
-- to p_limit row sets and returns how many it checked. A row set whose check fails is checked again a day later.
create or replace function tenuto.collect_rows(p_limit int default 100)
  returns int
  language plpgsql
as $$
declare
  v_set tenuto.row_sets;
  v_count int := 0;
begin
  perform tenuto._require_read_committed();
  for v_set in
    select s.*
    from tenuto.row_sets s
    join tenuto.dataset_versions v on v.org_id = s.org_id and v.id = s.dataset_version_id and v.purged_at is null
    where not s.committed
      and s.created_at < tenuto.now() - interval '1 day'
      and not exists (select from tenuto.running_tasks r where r.id = s.task_id and r.attempt = s.attempt)
    order by s.created_at
    limit p_limit
    for update of s skip locked
  loop
    v_count := v_count + 1;
    begin
      perform tenuto._settle_row_set(v_set);
    exception
      when others then
        raise warning 'rows at % cannot be collected: %', v_set.location, sqlerrm;
        perform tenuto._postpone_row_set(v_set.id);
    end;
  end loop;
  return v_count;
end
$$;
