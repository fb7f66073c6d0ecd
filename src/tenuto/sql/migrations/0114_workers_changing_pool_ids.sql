-- A copy of the database gets new ids of pools: its machines and decisions follow them.
alter table tenuto.workers
  drop constraint worker_is_of_a_pool,
  add constraint worker_is_of_a_pool foreign key (org_id, pool_id) references tenuto.pools (org_id, id)
    on update cascade on delete set null (pool_id);
alter table tenuto.scaling_decisions
  drop constraint decision_is_about_a_pool,
  add constraint decision_is_about_a_pool foreign key (org_id, pool_id) references tenuto.pools (org_id, id)
    on update cascade on delete cascade;
