-- Returns the names of the types that a worker has ever declared or served, or that a bundle contains, in order. They
-- are suggested when a start has an unknown type. Types of jobs, which no start can name, are left out.
create or replace function tenuto.list_types(p_org_id uuid, p_limit int default 1000)
  returns setof text
  language sql
  stable
as $$
  select d.type
  from tenuto.task_types d
  where d.org_id = p_org_id
    and not starts_with(d.type, 'tenuto.')
  union
  select t.type
  from tenuto.workers w
  cross join jsonb_array_elements_text(
    case when jsonb_typeof(w.metadata -> 'types') = 'array' then w.metadata -> 'types' else '[]' end) as t(type)
  where w.org_id = p_org_id
    and not starts_with(t.type, 'tenuto.')
  union
  select b.type
  from tenuto.bundle_types b
  where b.org_id = p_org_id
  order by 1
  limit p_limit
$$;
