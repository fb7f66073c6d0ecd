-- Returns the routes of a queue, of a type, or of both; null if both p_queue and p_type are null.
create or replace function tenuto._routes_of(p_org_id uuid, p_queue text, p_type text)
  returns int[]
  language sql
  stable
as $$
  select case when p_queue is not null or p_type is not null then array(
    select o.id
    from tenuto.routes o
    where o.org_id = p_org_id
      and (p_queue is null or o.queue = p_queue)
      and (p_type is null or o.type = p_type)) end;
$$;
