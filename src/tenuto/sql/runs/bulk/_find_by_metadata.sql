-- Returns an org's newest runs (p_kind run) or tasks (task) whose metadata contains p_metadata, with ids from p_first
-- to before p_before: at most p_limit. A server sees only the org that its transaction acts for. Under such row
-- security Postgres does not use the index, so a server searches as the owner (_find_as_owner). Workers and clients see
-- all orgs, so they search under their own role. For other roles that see only one org, a search for a rare value takes
-- as long as reading all rows of the org.
create or replace function tenuto._find_by_metadata(
  p_kind text, p_org_id uuid, p_metadata jsonb, p_first uuid, p_before uuid, p_limit int)
  returns uuid[]
  language plpgsql
  stable
as $$
begin
  if p_org_id = tenuto._org_id()
     and has_function_privilege('tenuto._find_as_owner(text, uuid, jsonb, uuid, uuid, int)', 'execute') then
    return tenuto._find_as_owner(p_kind, p_org_id, p_metadata, p_first, p_before, p_limit);
  end if;
  return tenuto._newest_with_metadata(p_kind, p_org_id, p_metadata, p_first, p_before, p_limit);
end
$$;
