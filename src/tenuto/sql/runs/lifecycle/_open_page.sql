-- Returns the open runs at which sweep_runs looks next.
create or replace function tenuto._open_page(p_limit int)
  returns uuid[]
  language sql
  stable
  set enable_seqscan = off
as $$
  select array(
    select r.id
    from tenuto.runs r
    where r.status in ('pending', 'running', 'retrying') and r.id > tenuto._sweep_position('runs')
    order by r.id
    limit p_limit);
$$;
