-- processing -> done. Applies only to effects that the caller owns. Returns the ids that were finished; an effect that
-- another owner has taken over is not among them.
create or replace function tenuto.finish_effects(p_owner text, p_ids bigint[])
  returns setof bigint
  language sql
as $$
  update tenuto.outbox
  set status = 'done', processed_at = tenuto.now(), locked_by = null, locked_until = null
  where id = any (p_ids)
    and status = 'processing'
    and locked_by = p_owner
  returning id;
$$;
