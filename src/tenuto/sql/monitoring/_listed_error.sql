-- Returns an error in the form that lists show. An error can have 1 MB; of an error of more than 16 KB, returns only
-- the type and the beginning of the message, so that pages stay small.
create or replace function tenuto._listed_error(p_error jsonb)
  returns jsonb
  language sql
  immutable
as $$
  select case
    when octet_length(p_error::text) > 16384
    then jsonb_build_object(
           'type', left(p_error ->> 'type', 256),
           'message', tenuto._truncate_text(coalesce(p_error ->> 'message', p_error #>> '{}')))
    else p_error
  end;
$$;
