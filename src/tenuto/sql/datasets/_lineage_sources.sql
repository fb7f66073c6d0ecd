-- Returns the sources of the columns in a lineage, each once. column_name '' means all columns; input_column '' means
-- that the column of the input is not known.
create or replace function tenuto._lineage_sources(p_inputs jsonb, p_lineage jsonb)
  returns table (column_name text, input_dataset_id uuid, input_column text, kind text, subtype text)
  language sql
  immutable
as $$
  select distinct on (1, 2, 3, 4)
         coalesce(c."column", ''), (p_inputs -> c.input ->> 'dataset_id')::uuid, coalesce(c.field, ''),
         coalesce(c.kind, 'direct'), c.subtype
  from jsonb_to_recordset(p_lineage -> 'columns') as c("column" text, input int, field text, kind text, subtype text)
  where p_inputs -> c.input ->> 'dataset_id' is not null
  order by 1, 2, 3, 4, 5;
$$;
