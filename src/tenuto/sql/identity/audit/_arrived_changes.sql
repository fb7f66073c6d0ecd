-- Returns the changes of a recorded call in the form that the audit log stores. Leaves out changes that are not an
-- object: the SQL functions write only objects, but a login can also insert into audit_arrivals without them.
create or replace function tenuto._arrived_changes(p_changes jsonb, p_old jsonb)
  returns jsonb
  language sql
  immutable parallel safe
as $$
  select tenuto._stored_changes(coalesce(
    case
      when jsonb_typeof(p_changes) <> 'object' then '{}'
      when jsonb_typeof(p_old) is distinct from 'object' then (
        select jsonb_object_agg(n.key, jsonb_build_object('new', n.value))
        from jsonb_each(p_changes) n
        where n.value <> 'null')
      else (
        select jsonb_object_agg(f.field, f.change)
        from (
          select v.field, jsonb_object_agg(v.side, v.value) as change
          from (
            select n.key as field, 'new' as side, n.value from jsonb_each(p_changes) n
            union all
            select o.key, 'old', o.value from jsonb_each(p_old) o
          ) v
          where v.value <> 'null'
          group by v.field
        ) f)
    end, '{}'));
$$;
