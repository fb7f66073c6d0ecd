-- When to try again after n failures and losses: min(10 min, base * 2^(n - 1)), then half to one and a half of it.
create or replace function tenuto._retry_at(p_base_seconds real, p_n int)
  returns timestamptz
  language sql
  volatile
return tenuto.now() + make_interval(secs => least(600, p_base_seconds * 2 ^ least(p_n - 1, 30)) * (0.5 + random()));
