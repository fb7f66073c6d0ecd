-- Wakes other workers for routes whose tasks a claim made claimable: routes that the claim does not serve, and its own
-- routes unless it took all of their tasks. The start has woken workers already, but they may have tried to claim
-- before the tasks were claimable.
create or replace function tenuto._wake_others(p_found int[], p_routes int[], p_took_all boolean)
  returns void
  language sql
as $$
  select tenuto._wake_routes(array(select f from unnest(p_found) f where not p_took_all or f <> all (p_routes)));
$$;
