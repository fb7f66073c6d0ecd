-- Requests: answers kept for those who ask twice, and how much each may ask.

-- The first request and its answer commit together; a second one waits for that, then gets the answer.
create table tenuto.idempotency_keys (
  org_id       uuid not null,
  actor        text not null,
  key          text not null,
  request_hash bytea not null,
  status       int,
  answer       jsonb,
  created_at   timestamptz not null,
  primary key (org_id, actor, key),
  constraint actor_is_not_empty check (length(actor) between 1 and 256),
  constraint key_is_not_empty check (length(key) between 1 and 256),
  constraint request_hash_has_32_bytes check (octet_length(request_hash) = 32),
  constraint status_is_one_of_http check (status between 100 and 599)
);

create index idempotency_keys_age_idx on tenuto.idempotency_keys (created_at);

-- Token buckets: when each will be full again says how many tokens it holds. A crash fills them, and in return taking a
-- token waits for no disk.
create unlogged table tenuto.rate_buckets (
  org_id  uuid not null,
  bucket  text not null,
  full_at timestamptz not null,
  primary key (org_id, bucket),
  constraint bucket_is_not_empty check (length(bucket) between 1 and 256)
) with (fillfactor = 50);
