-- Returns when to retry after n failures and losses: now + min(10 min, base * 2^(n - 1)) * a random number between 0.5
-- and 1.5. With base 2 s, the pause after the third failure is 8 s * 0.5 to 1.5: 4 to 12 s.
create or replace function tenuto._retry_at(p_base_seconds real, p_n int)
  returns timestamptz
  language sql
  volatile
return tenuto.now() + make_interval(secs => least(600, p_base_seconds * 2 ^ least(p_n - 1, 30)) * (0.5 + random()));
