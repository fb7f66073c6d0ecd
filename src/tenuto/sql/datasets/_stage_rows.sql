-- Adds one page of rows to the row set of a location. p_rows: one array per row, with a text or null per column. Rows
-- of a page that was added before stay as they are. Raises TN003 for rows that do not fit p_columns, and TN004 if the
-- dataset version has no table.
create or replace function tenuto._stage_rows(
  p_org_id uuid, p_version_id uuid, p_location text, p_task_id uuid, p_attempt int, p_page int, p_columns jsonb,
  p_rows jsonb)
  returns void
  language plpgsql
  set timezone = 'UTC'
  set datestyle = 'ISO, YMD'
as $$
declare
  v_set_id uuid;
  v_names text;
  v_values text;
begin
  perform from jsonb_array_elements(p_rows) r
  where case when jsonb_typeof(r) = 'array' then jsonb_array_length(r) end
        is distinct from jsonb_array_length(p_columns);
  if found then
    perform tenuto._raise('TN003', format('rows are not lists of %s values', jsonb_array_length(p_columns)));
  end if;

  insert into tenuto.row_sets as s
    (id, org_id, dataset_version_id, location, task_id, attempt, pages, created_at)
  values (tenuto._uuid7(), p_org_id, p_version_id, p_location, p_task_id, p_attempt, p_page + 1, tenuto.now())
  on conflict (org_id, location) do update
    set pages = greatest(s.pages, excluded.pages)
  returning s.id into v_set_id;
  select string_agg(quote_ident(c.value ->> 'name'), ', ' order by c.no),
         string_agg(format('(r.value ->> %s)::%s', c.no - 1, tenuto._column_type(c.value ->> 'type')), ', '
                    order by c.no)
  into v_names, v_values
  from jsonb_array_elements(p_columns) with ordinality c(value, no);
  execute format(
    'insert into tenuto_data.%I (".set_id", ".page", ".row", %s) '
    'select $1, $2, r.no, %s from jsonb_array_elements($3) with ordinality r(value, no) on conflict do nothing',
    tenuto._data_table(p_version_id), v_names, v_values)
  using v_set_id, p_page, p_rows;
exception
  when data_exception or integrity_constraint_violation or program_limit_exceeded then
    perform tenuto._raise('TN003', format('rows do not fit into the table: %s', left(sqlerrm, 500)));
  when undefined_table then
    perform tenuto._raise('TN004', format('version %s of the dataset has no table in Postgres', p_version_id),
      'change the document, such as the SQL of the job, and deploy it again');
end
$$;
