-- Returns how many rows of an org match a filter. A search has found p_found of them, newest first, and has stopped at
-- a row that was created at p_stopped_at. If p_stopped_at is null, it has found all, and the number is exact. Otherwise
-- the number is an estimate, which assumes that older rows were created at the same rate: 10,000 rows found in the last
-- hour of a range of three hours give 30,000. The range begins at the latest of three times: p_since, the creation of
-- the org, and the beginning of the time that its retention covers.
create or replace function tenuto._count_found(
  p_org_id uuid, p_found int, p_stopped_at timestamptz, p_since timestamptz, p_until timestamptz)
  returns table (count bigint, exact boolean)
  language sql
  stable
as $$
  select case when p_stopped_at is null then p_found
              else greatest(p_found, round(p_found * extract(epoch from r.upper - r.lower)
                                           / greatest(extract(epoch from r.upper - p_stopped_at), 1)))::bigint end,
         p_stopped_at is null
  from (
    select least(p_until, tenuto.now()) as upper,
           greatest(p_since, o.created_at, tenuto.now() - tenuto._retention(o.settings)) as lower
    from tenuto.orgs o
    where o.id = p_org_id
  ) r;
$$;
