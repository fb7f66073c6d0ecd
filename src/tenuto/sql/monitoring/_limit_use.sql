-- Returns how many tasks hold a slot of a limit (for a rate: how many were admitted in the last period), and how many
-- wait for a slot. Counts up to 10,000 slots and up to 10,000 waiting tasks.
create or replace function tenuto._limit_use(p_limit_id bigint, p_seconds float8)
  returns table (used int, waiting int)
  language sql
  stable
as $$
  select case
           when p_seconds is null then (
             select count(*)::int from (
               select from tenuto.limit_slots s where s.limit_id = p_limit_id limit 10000) held)
           else (
             select coalesce(sum(a.tasks), 0)::int from tenuto.rate_admissions a
             where a.limit_id = p_limit_id and a.admitted_at > tenuto.now() - make_interval(secs => p_seconds))
         end,
         (select count(*)::int from (
            select from tenuto.waiting_tasks w where w.limit_id = p_limit_id limit 10000) line);
$$;
