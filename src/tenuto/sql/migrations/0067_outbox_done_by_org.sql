-- Orgs keep the effects that were done for different times: prune_effects reads them org by org.
create index outbox_done_by_org_idx on tenuto.outbox (org_id, processed_at) where status = 'done';
drop index tenuto.outbox_done_idx;
