-- What workers say of the tasks they run, for starts by those who have no app at hand.
create table tenuto.task_types (
  org_id      uuid not null references tenuto.orgs (id),
  type        text not null,
  kind        jsonb not null,
  limits      jsonb,
  declared_by text not null,
  declared_at timestamptz not null,
  primary key (org_id, type),
  constraint type_is_not_empty check (length(type) between 1 and 256),
  constraint kind_is_an_object check (jsonb_typeof(kind) = 'object'),
  constraint limits_are_a_list check (jsonb_typeof(limits) = 'array')
);
