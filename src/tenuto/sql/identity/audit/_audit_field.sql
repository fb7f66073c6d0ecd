-- Returns a field of an audit entry as its length and text, or "-" if it is missing, so that the joined fields of two
-- different entries never give the same text.
create or replace function tenuto._audit_field(p_value text)
  returns text
  language sql
  immutable parallel safe
return case when p_value is null then '-' else octet_length(convert_to(p_value, 'UTF8')) || ':' || p_value end;
