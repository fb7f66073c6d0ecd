-- What a client or task notes about a value of run data, and when its tags were changed; null: not since it was written.
alter table tenuto.run_data
  add column metadata jsonb,
  add column updated_at timestamptz,
  add constraint metadata_is_an_object check (jsonb_typeof(metadata) = 'object');
