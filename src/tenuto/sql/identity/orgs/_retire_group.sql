-- Deletes a resource group: frees its name and marks its row as deleted. The row stays for the runs that still belong
-- to it.
create or replace function tenuto._retire_group(p_group_id uuid)
  returns void
  language sql
as $$
  update tenuto.resource_groups
  set deleted_at  = tenuto.now(),
      external_id = format('%s (deleted %s)', left(external_id, 200), id),
      weight      = 1,
      quota       = null
  where id = p_group_id and deleted_at is null;
$$;
