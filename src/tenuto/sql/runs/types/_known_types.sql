-- Returns up to 200 types that a worker has ever declared or served, or that a bundle contains, to suggest one of them
-- instead of p_type. Types of the same app, and with the same function name in another app, come first. Types of jobs,
-- which no start can name, are left out.
create or replace function tenuto._known_types(p_org_id uuid, p_type text)
  returns text[]
  language sql
  stable
as $$
  select array(
    select n.type
    from (
      select d.type from tenuto.task_types d where d.org_id = p_org_id
      union
      select t.type
      from tenuto.workers w
      cross join jsonb_array_elements_text(
        case when jsonb_typeof(w.metadata -> 'types') = 'array' then w.metadata -> 'types' else '[]' end) as t(type)
      where w.org_id = p_org_id
      union
      select b.type from tenuto.bundle_types b where b.org_id = p_org_id) n
    where not starts_with(n.type, 'tenuto.')
    order by split_part(n.type, '.', 1) <> split_part(p_type, '.', 1)
               and split_part(n.type, '.', -1) <> split_part(p_type, '.', -1),
             n.type
    limit 200);
$$;
