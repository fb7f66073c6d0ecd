-- The id of every limit is the hash of its org, scope and key (see _limit_id); older limits get theirs here. Claims and
-- completions then need not look up limits by key: on a connection that had planned while the table was empty, such a
-- look-up read all limits of the org. So did the foreign key of each slot; it is not needed, because slots are given and
-- limits are deleted only under the lock of the limit.
alter table tenuto.limits alter column id drop identity;
-- Of indexes that seem to cost the same, because the table is still empty, Postgres prefers the newest.
alter table tenuto.limits drop constraint limits_pkey, add constraint limits_pkey primary key (id);
alter table tenuto.limit_slots drop constraint slot_is_of_a_limit;
alter table tenuto.rate_admissions drop constraint admission_is_by_a_limit;

create temporary table new_ids on commit drop as
select n.old_id, n.new_id
from (
  select distinct l.id as old_id,
         ('x' || encode(substr(sha256(convert_to(concat_ws(' ', l.org_id, l.scope, l.key), 'UTF8')), 1, 8), 'hex'))
           ::bit(64)::bigint & 9223372036854775807 as new_id
  from (
    select id, org_id, scope, key from tenuto.limits
    union all
    select limit_id, org_id, scope, key from tenuto.arrivals where scope is not null
  ) l
) n
where n.old_id <> n.new_id;
update tenuto.limits t set id = n.new_id from new_ids n where t.id = n.old_id;
update tenuto.limit_slots t set limit_id = n.new_id from new_ids n where t.limit_id = n.old_id;
update tenuto.rate_admissions t set limit_id = n.new_id from new_ids n where t.limit_id = n.old_id;
update tenuto.waiting_tasks t set limit_id = n.new_id from new_ids n where t.limit_id = n.old_id;
update tenuto.arrivals t set limit_id = n.new_id from new_ids n where t.limit_id = n.old_id;
delete from tenuto.parked_rows where loop = 'sweep_limits' and key in (select old_id::text from new_ids);

alter table tenuto.rate_admissions
  add constraint admission_is_by_a_limit
    foreign key (org_id, limit_id) references tenuto.limits (org_id, id) on delete cascade;
