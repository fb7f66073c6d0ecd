-- Raises an error that is listed in model/errors.py. Callers match the code; the message is for users.
create or replace function tenuto._raise(p_code text, p_message text, p_hint text default null)
  returns void
  language plpgsql
as $$
begin
  if p_hint is null then
    raise exception using errcode = p_code, message = p_message;
  end if;
  raise exception using errcode = p_code, message = p_message, hint = p_hint;
end
$$;
