-- staged -> committed | deleted: marks a row set as committed if it is part of a commit, and keeps a row set that an
-- effect will add to the dataset of a sink. Deletes any other row set: each call deletes the last 20 of its pages, so
-- that the transaction stays short. The call that deletes the first page also deletes the row set.
create or replace function tenuto._settle_row_set(p_set tenuto.row_sets)
  returns void
  language plpgsql
as $$
begin
  perform from tenuto.partition_versions p
  where p.org_id = p_set.org_id and p.task_id = p_set.task_id and p.dataset_version_id = p_set.dataset_version_id
    and p.location = p_set.location;
  if found then
    update tenuto.row_sets set committed = true where id = p_set.id;
    return;
  end if;
  perform from tenuto.outbox o
  where o.org_id = p_set.org_id and o.scope = 'sink' and o.key = p_set.location and o.status <> 'done';
  if found then
    perform tenuto._postpone_row_set(p_set.id);
    return;
  end if;
  execute format('delete from tenuto_data.%I where ".set_id" = $1 and ".page" >= $2',
    tenuto._data_table(p_set.dataset_version_id))
  using p_set.id, p_set.pages - 20;
  update tenuto.row_sets set pages = pages - 20 where id = p_set.id and pages > 20;
  if not found then
    delete from tenuto.row_sets where id = p_set.id;
  end if;
end
$$;
