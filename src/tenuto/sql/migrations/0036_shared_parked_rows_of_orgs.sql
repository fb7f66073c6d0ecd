-- Finds the oldest due rows of each org. Rows that belong to no org are one more org.
create index parked_rows_turn_idx on tenuto.parked_rows
  (coalesce(org_id, '00000000-0000-0000-0000-000000000000'::uuid), retry_at, key);
