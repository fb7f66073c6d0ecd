-- Drops the months of the audit log that ended longer ago than p_keep. For each org, the last dropped entry becomes the
-- anchor after which the chain continues, and a new entry records the anchor. Without this entry, a verifier would
-- report the dropped entries as deleted. A month with unsealed entries is kept, and so are later months. With
-- p_dry_run, changes nothing; its counts of later months can be higher than in a real run, which also deletes their
-- entries up to the anchor. Runs as the owner.
create or replace function tenuto.prune_audit(p_keep interval, p_actor_id text, p_dry_run boolean default false)
  returns table (partition text, entries bigint)
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
  set lock_timeout = '5s'
as $$
declare
  v_sealed boolean;
begin
  perform tenuto._require_read_committed();
  if p_keep < interval '1 day' then
    perform tenuto._raise('TN003', format('the audit log cannot be kept for only %s: the minimum is 1 day', p_keep));
  end if;
  for partition in
    select c.relname::text
    from pg_inherits i
    join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'tenuto.audit_log'::regclass and c.relname ~ '^audit_log_\d{4}_\d{2}$'
      and (to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month') at time zone 'UTC' < tenuto.now() - p_keep
    order by c.relname
  loop
    if not p_dry_run then
      execute format('lock table tenuto.%I in access exclusive mode', partition);
    end if;
    execute format('select count(*), coalesce(bool_and(a.seq is not null), true) from tenuto.%I a', partition)
    into entries, v_sealed;
    exit when not v_sealed;
    if not p_dry_run then
      execute format(
        'with last as (
           select distinct on (a.org_id) a.org_id, a.seq, a.hash from tenuto.%I a order by a.org_id, a.seq desc
         ), anchored as (
           update tenuto.audit_chains c set anchor_seq = last.seq, anchor_hash = last.hash
           from last
           where c.org_id = last.org_id and c.anchor_seq < last.seq
           returning c.org_id, c.anchor_seq, c.anchor_hash
         )
         select tenuto.write_audit(a.org_id, ''audit'', $1, ''prune'', ''operator'', $2, jsonb_build_object(
                  ''anchor'', jsonb_build_object(''new'', jsonb_build_object(
                    ''seq'', a.anchor_seq, ''sum'', encode(a.anchor_hash, ''hex'')))))
         from anchored a', partition) using partition, p_actor_id;
      execute format('drop table tenuto.%I', partition);
      -- Deletes entries of later months that were sealed before the last entry of this month.
      delete from tenuto.audit_log a using tenuto.audit_chains c where a.org_id = c.org_id and a.seq <= c.anchor_seq;
    end if;
    return next;
  end loop;
end
$$;
