-- processing -> done, or -> pending for an effect to which events were added since it was taken. Applies only to
-- effects that the caller owns. Returns the ids of these effects; effects that another owner has taken over are not
-- among them.
create or replace function tenuto.finish_effects(p_owner text, p_ids bigint[])
  returns setof bigint
  language sql
as $$
  update tenuto.outbox
  set status       = case when tenuto._has_events(kind, payload) then 'pending' else 'done' end,
      processed_at = case when not tenuto._has_events(kind, payload) then tenuto.now() end,
      attempts     = case when tenuto._has_events(kind, payload) then 0 else attempts end,
      available_at = case when tenuto._has_events(kind, payload) then tenuto.now() else available_at end,
      locked_by    = null,
      locked_until = null
  where id = any (p_ids)
    and status = 'processing'
    and locked_by = p_owner
  returning id;
$$;
