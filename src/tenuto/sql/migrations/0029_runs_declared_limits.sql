-- The sizes of limits as workers declare them with their types: a start cannot change these.
--   by_value   the limit is for each value of a parameter: key is what the keys of these limits begin with
--   queue      of the type that declared it last; a worker of other queues cannot change it
create table tenuto.declared_limits (
  org_id      uuid not null references tenuto.orgs (id),
  scope       text not null,
  key         text not null,
  by_value    boolean not null,
  size        int not null,
  seconds     float8,
  queue       text not null,
  declared_by text not null,
  declared_at timestamptz not null,
  primary key (org_id, scope, key, by_value),
  constraint scope_is_known check (scope in ('key', 'queue', 'rate')),
  constraint size_is_positive check (size between 1 and 1000000)
);

insert into tenuto.declared_limits (org_id, scope, key, by_value, size, seconds, queue, declared_by, declared_at)
select distinct on (t.org_id, l ->> 'scope', l ->> 'key', l ? 'parameter')
       t.org_id, l ->> 'scope', l ->> 'key', l ? 'parameter', (l ->> 'size')::int, (l ->> 'seconds')::float8,
       coalesce(t.kind ->> 'queue', 'default'), t.declared_by, t.declared_at
from tenuto.task_types t
cross join lateral jsonb_array_elements(t.limits) l
order by t.org_id, l ->> 'scope', l ->> 'key', l ? 'parameter', t.declared_at desc;

-- Its size is a declaration's, not a start's.
alter table tenuto.limits add column declared boolean not null default false;
