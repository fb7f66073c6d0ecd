-- The id of every limit is the hash of its org, scope and key (see _limit_id); older limits get theirs here. Claims and
-- completions then need not look up limits by key: on a connection that had planned while the table was empty, such a
-- look-up read all limits of the org. So did the foreign key of each slot; it is not needed, because slots are given
-- and limits are deleted only under the lock of the limit.

-- As in _limit_id.sql: a new installation has no functions yet when its migrations run.
create or replace function tenuto._limit_id(p_org_id uuid, p_scope text, p_key text)
  returns bigint
  language sql
  stable
as $$
  select ('x' || encode(substr(sha256(convert_to(concat_ws(' ', p_org_id, p_scope, p_key), 'UTF8')), 1, 8), 'hex'))
           ::bit(64)::bigint & 9223372036854775807;
$$;

alter table tenuto.limits alter column id drop identity;
-- Of indexes that seem to cost the same, because the table is still empty, Postgres prefers the newest.
alter table tenuto.limits drop constraint limits_pkey, add constraint limits_pkey primary key (id);
alter table tenuto.limit_slots drop constraint slot_is_of_a_limit;
alter table tenuto.rate_admissions drop constraint admission_is_by_a_limit;

create table tenuto.new_ids as   -- not a temporary table, which some databases forbid
select distinct l.id as old_id, tenuto._limit_id(l.org_id, l.scope, l.key) as new_id
from (
  select id, org_id, scope, key from tenuto.limits
  union all
  select limit_id, org_id, scope, key from tenuto.arrivals where scope is not null
) l
where l.id <> tenuto._limit_id(l.org_id, l.scope, l.key);
update tenuto.limits t set id = n.new_id from tenuto.new_ids n where t.id = n.old_id;
update tenuto.limit_slots t set limit_id = n.new_id from tenuto.new_ids n where t.limit_id = n.old_id;
update tenuto.rate_admissions t set limit_id = n.new_id from tenuto.new_ids n where t.limit_id = n.old_id;
update tenuto.waiting_tasks t set limit_id = n.new_id from tenuto.new_ids n where t.limit_id = n.old_id;
update tenuto.arrivals t set limit_id = n.new_id from tenuto.new_ids n where t.limit_id = n.old_id;
delete from tenuto.parked_rows where loop = 'sweep_limits' and key in (select old_id::text from tenuto.new_ids);

-- Tasks take the slots of several limits in the order of their ids, which has changed: those in line begin again.
-- Otherwise two of them could each hold the slot that the other one waits for.
with moved as (
  update tenuto.waiting_tasks w
  set limit_id = f.limit_id
  from tenuto.tasks t
  cross join lateral (
    select tenuto._limit_id(t.org_id, l.scope, l.key) as limit_id
    from jsonb_to_recordset(t.limits) as l(scope text, key text)
    order by l.scope, 1
    limit 1
  ) f
  where t.id = w.id and w.waits_for = 'limit' and jsonb_array_length(t.limits) > 1
    and exists (select from tenuto.new_ids)
  returning w.id, w.org_id, w.limit_id, w.priority, w.seq
), freed as (
  delete from tenuto.limit_slots s using moved m where s.task_id = m.id returning s.org_id, s.limit_id
)
insert into tenuto.arrivals (org_id, limit_id, priority, seq)
select m.org_id, m.limit_id, max(m.priority), min(m.seq) from moved m group by 1, 2
union all
select distinct f.org_id, f.limit_id, null::int, null::bigint from freed f;
drop table tenuto.new_ids;

alter table tenuto.rate_admissions
  add constraint admission_is_by_a_limit
    foreign key (org_id, limit_id) references tenuto.limits (org_id, id) on delete cascade;
