-- Returns the name of the table in the schema tenuto_data that holds the rows of a version of a dataset.
create or replace function tenuto._data_table(p_version_id uuid)
  returns text
  language sql
  immutable parallel safe
return 'v_' || replace(p_version_id::text, '-', '');
