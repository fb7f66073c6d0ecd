-- Returns what is wrong with the lineage of a publication, or null. p_inputs: how many inputs the task has. Reads the
-- columns with the same types as _record_columns does later, so that a value of a wrong type fails in this function.
create or replace function tenuto._check_lineage(p_lineage jsonb, p_inputs int)
  returns text
  language plpgsql
  immutable
as $$
declare
  v_wrong text;
begin
  if p_lineage is null or p_lineage = 'null' then
    return null;
  elsif jsonb_typeof(p_lineage) <> 'object' or jsonb_typeof(p_lineage -> 'columns') is distinct from 'array' then
    return 'lineage is not {"method": …, "confidence": …, "columns": […]}';
  elsif coalesce(p_lineage ->> 'method', '') not in ('sql', 'reported')
     or coalesce(p_lineage ->> 'confidence', '') not in ('exact', 'stated', 'table') then
    return 'the method of lineage is not sql or reported, or its confidence not exact, stated or table';
  elsif jsonb_array_length(p_lineage -> 'columns') > 10000 then
    return 'lineage has more than 10,000 sources of columns';
  elsif exists (select from jsonb_array_elements(p_lineage -> 'columns') c where jsonb_typeof(c) <> 'object') then
    return 'columns of lineage are not objects with column, input, field and kind';
  end if;
  select case
           when c.input is null or c.input not between 0 and p_inputs - 1
             then format('lineage names input %s, and the job has %s inputs', coalesce(c.input::text, 'null'), p_inputs)
           when octet_length(c."column") not between 1 and 256 or octet_length(c.field) not between 1 and 256
             then 'a column of lineage is not a text of 1 to 256 bytes'
           when coalesce(c.kind, 'direct') not in ('direct', 'indirect') or octet_length(c.subtype) > 32
             then 'the kind of lineage is not direct or indirect, or its subtype is longer than 32 bytes'
         end
  into v_wrong
  from jsonb_to_recordset(p_lineage -> 'columns') as c("column" text, input int, field text, kind text, subtype text)
  order by 1 nulls last
  limit 1;
  return v_wrong;
end
$$;
