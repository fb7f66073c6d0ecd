-- Raises TN001 if there is no such backfill, else TN004: in its state it cannot be changed in this way.
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
