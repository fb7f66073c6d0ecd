-- Returns the signals that were sent to a run, oldest first, at most 1000, each with the task that received it. A value
-- of more than 1 KB is left out; value_bytes has its size.
create or replace function tenuto.list_signals(p_org_id uuid, p_run_id uuid)
  returns table (
    name text, value jsonb, value_bytes int, sent_at timestamptz, taken_by uuid, taken_at timestamptz)
  language sql
  stable
as $$
  select s.name, case when octet_length(s.value::text) <= 1024 then s.value end, octet_length(s.value::text),
         s.sent_at, s.taken_by, s.taken_at
  from (select g.* from tenuto.signals g where g.run_id = p_run_id and g.org_id = p_org_id limit 10000) s
  order by s.sent_at
  limit 1000;
$$;
