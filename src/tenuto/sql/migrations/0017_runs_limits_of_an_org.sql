-- A slot or an admission names a limit of its own org: no foreign key crosses orgs.
alter table tenuto.limits
  add constraint limit_belongs_to_its_org unique (org_id, id);

alter table tenuto.limit_slots
  drop constraint limit_slots_limit_id_fkey,
  add constraint slot_is_of_a_limit foreign key (org_id, limit_id) references tenuto.limits (org_id, id);

drop index tenuto.limit_slots_limit_idx;
create index limit_slots_limit_idx on tenuto.limit_slots (limit_id, org_id);

alter table tenuto.rate_admissions
  drop constraint rate_admissions_limit_id_fkey,
  add constraint admission_is_by_a_limit foreign key (org_id, limit_id) references tenuto.limits (org_id, id) on delete cascade;

create index rate_admissions_limit_idx on tenuto.rate_admissions (limit_id, org_id);
