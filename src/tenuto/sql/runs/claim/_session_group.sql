-- Returns the number of a resource group in the org of a session.
create or replace function tenuto._session_group(p_session_id bigint, p_group text)
  returns int
  language plpgsql
  stable
as $$
begin
  return tenuto._group_no((select s.org_id from tenuto.sessions s where s.id = p_session_id), p_group);
end
$$;
