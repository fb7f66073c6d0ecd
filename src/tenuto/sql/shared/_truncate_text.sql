-- Returns the text unchanged if it has at most p_max characters. Otherwise returns its first p_max characters and how
-- many more were cut.
create or replace function tenuto._truncate_text(p_text text, p_max int default 8192)
  returns text
  language sql
  immutable parallel safe
return case
  when length(p_text) <= p_max then p_text
  else left(p_text, p_max) || format('… (%s more characters were cut)', length(p_text) - p_max)
end;
