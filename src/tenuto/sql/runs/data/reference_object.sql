-- Makes a run, a resource group or a task hold an object: the object is kept until every such reference is released. A
-- reference also ends when its holder is deleted. A group is passed by its id in p_holder_id, or by its name in
-- p_group. Idempotent.
create or replace function tenuto.reference_object(
  p_org_id uuid, p_object_id uuid, p_holder text, p_holder_id uuid default null, p_group text default null)
  returns void
  language plpgsql
as $$
begin
  perform tenuto._reference_object(p_org_id, p_object_id, p_holder, p_holder_id, p_group);
  perform tenuto._audit(p_org_id, 'object', p_object_id::text, 'reference',
    jsonb_build_object(p_holder, coalesce(p_holder_id::text, p_group)));
end
$$;
