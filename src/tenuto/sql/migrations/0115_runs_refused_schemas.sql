-- Why the server does not check inputs against the schema that a worker declared for a type.
alter table tenuto.task_types add column schema_problem text;
alter table tenuto.task_types
  add constraint a_refused_schema_is_not_stored check (schema_problem is null or input_schema is null);
