-- An API key can be set inactive and active again; a revoked key stays revoked.
alter table tenuto.api_keys add column disabled_at timestamptz;
