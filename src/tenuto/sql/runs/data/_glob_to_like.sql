-- Returns a glob as a pattern for `like`: * becomes %, ? becomes _, and characters special to `like` are escaped.
create or replace function tenuto._glob_to_like(p_glob text)
  returns text
  language sql
  immutable parallel safe
return translate(regexp_replace(p_glob, '([\\%_])', '\\\1', 'g'), '*?', '%_');
