-- Returns the newest runs (p_kind run) or tasks (task) of an org whose metadata contains p_metadata, from p_first on
-- and before an id: at most p_limit. The server, whose transactions act for one org, searches as the owner. Workers and
-- clients see all orgs, and need not. For readers of one org, rare values take as long as reading all their rows.
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
