-- Returns a hint for a name that does not exist: the most similar known name, or p_otherwise if no known name is
-- similar. Each name is compared as its pairs of neighbouring letters, with a blank before and after the name. Two
-- names are similar if they share at least half of their pairs: dayly and daily share ' d', 'da', 'ly' and 'y ', 4 of
-- 6.
create or replace function tenuto._did_you_mean(p_name text, p_known text[], p_otherwise text)
  returns text
  language sql
  immutable
as $$
  select coalesce((
    select format('did you mean %s?', k.name)
    from unnest(p_known[1:200]) k(name)
    cross join lateral (
      select 2.0 * count(*) / (length(k.name) + least(length(p_name), 200) + 2) as share
      from (
        select substr(' ' || lower(left(p_name, 200)) || ' ', n, 2)
        from generate_series(1, least(length(p_name), 200) + 1) n
        intersect all
        select substr(' ' || lower(k.name) || ' ', n, 2) from generate_series(1, length(k.name) + 1) n) same) s
    where s.share >= 0.5
    order by s.share desc, k.name
    limit 1), p_otherwise)
$$;
