-- Whether the token is the session's and the session lives.
create or replace function tenuto._session_open(p_session_id bigint, p_token uuid)
  returns boolean
  language sql
  stable
as $$
  select exists (select from tenuto.sessions where id = p_session_id and token = p_token and ended_at is null);
$$;
