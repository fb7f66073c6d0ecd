-- A soft route: the workers at its addresses take its tasks first; after two seconds, relax_placement moves them to the
-- route of all workers.
alter table tenuto.routes add column soft boolean not null default false;
alter table tenuto.routes
  drop constraint route_is_unique,
  add constraint route_is_unique
    unique (org_id, queue, type, language, labels, addresses, blocked_versions, twin, soft),
  add constraint a_soft_route_has_addresses check (not soft or addresses <> '{}');
create index routes_soft_idx on tenuto.routes (id) where soft;
