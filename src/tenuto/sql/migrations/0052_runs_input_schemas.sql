-- The JSON Schema of a type's arguments, which the server checks inputs against.
alter table tenuto.task_types add column input_schema jsonb;
alter table tenuto.task_types
  add constraint input_schema_is_an_object check (jsonb_typeof(input_schema) = 'object');
