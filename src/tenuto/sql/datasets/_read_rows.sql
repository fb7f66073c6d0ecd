-- Returns one page of the rows at a location, in the form that _stage_rows takes, and how many pages there are. A
-- location without rows has 0 pages. Raises TN001 if the rows at the location are not committed.
create or replace function tenuto._read_rows(
  p_org_id uuid, p_version_id uuid, p_location text, p_page int, p_columns jsonb, out rows jsonb, out pages int)
  language plpgsql
  stable
  set timezone = 'UTC'
  set datestyle = 'ISO, YMD'
  set bytea_output = 'hex'
  set extra_float_digits = 1
as $$
declare
  v_set tenuto.row_sets;
begin
  rows := '[]';
  pages := 0;
  select s.* into v_set
  from tenuto.row_sets s
  where s.org_id = p_org_id and s.location = p_location and s.dataset_version_id = p_version_id;
  if not found then
    return;
  end if;
  perform from tenuto.partition_versions p
  where p.org_id = p_org_id and p.task_id = v_set.task_id and p.dataset_version_id = p_version_id
    and p.location = p_location;
  if not found then
    perform tenuto._raise('TN001', format('the rows at %s are not committed', left(p_location, 1500)));
  end if;
  pages := v_set.pages;
  execute format(
    'select coalesce(jsonb_agg(to_jsonb(array[%s]) order by d.".row"), ''[]'') '
    'from tenuto_data.%I d where d.".set_id" = $1 and d.".page" = $2',
    (select string_agg(format('d.%I::text', c.value ->> 'name'), ', ' order by c.no)
     from jsonb_array_elements(p_columns) with ordinality c(value, no)),
    tenuto._data_table(p_version_id))
  into rows
  using v_set.id, p_page;
end
$$;
