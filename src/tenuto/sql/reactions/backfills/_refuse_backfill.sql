-- Raises TN001 if the backfill does not exist, else TN004: its status does not allow this change.
create or replace function tenuto._refuse_backfill(p_org_id uuid, p_id uuid, p_change text)
  returns void
  language plpgsql
as $$
declare
  v_status text := (select b.status from tenuto.get_backfill(p_org_id, p_id) b);
begin
  perform tenuto._raise('TN004', format('backfill %s cannot be %s: it is %s', p_id, p_change, v_status));
end
$$;
