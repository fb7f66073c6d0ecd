-- Keeps what was found out about a failed machine before the machine is ended. The first call wins: later ones would
-- describe a machine that is gone.
create or replace function tenuto.keep_diagnostics(p_org_id uuid, p_worker_id text, p_diagnostics jsonb)
  returns void
  language sql
as $$
  update tenuto.workers w
  set diagnostics = case when pg_column_size(p_diagnostics) <= 65536 then p_diagnostics
                         else jsonb_build_object('cut_bytes', pg_column_size(p_diagnostics)) end
  where w.org_id = p_org_id
    and w.id = p_worker_id
    and w.pool_id is not null
    and w.diagnostics is null;
$$;
