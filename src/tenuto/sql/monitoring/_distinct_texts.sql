-- Returns p_one and p_more as one list, each text once; null if there are none.
create or replace function tenuto._distinct_texts(p_one text, p_more text[])
  returns text[]
  language sql
  immutable
as $$
  select array_agg(distinct t order by t) from unnest(p_one || coalesce(p_more, '{}')) t where t is not null;
$$;
