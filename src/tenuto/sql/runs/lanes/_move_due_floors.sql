-- Moves the floors of due work to the first row of each table. Without this, while a long transaction holds vacuum
-- back, dispatchers would read the dead rows before the first row at every tick: with 300,000 dead rows a tick took 279
-- ms. Searches from the bottom, which finds rows that committed late. A floor stays at least 10 seconds behind the
-- current time (the floor of run_counts: at least 10,000 rows behind the newest row), so that rows of short
-- transactions are never before it. Floors rise only if one of them rises by more than the same amount, because every
-- move leaves a dead row as well.
create or replace function tenuto._move_due_floors()
  returns void
  language plpgsql
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_bitmapscan = off
  set jit = off
as $$
declare
  v_newest timestamptz := tenuto.now() - interval '10 seconds';
  v_first tenuto.due_floors;
  v_first_audit timestamptz;
begin
  v_first.available_at := least(v_newest, (
    select d.available_at from tenuto.delayed_tasks d order by d.available_at limit 1));
  v_first.wake_at := least(v_newest, (
    select w.wake_at from tenuto.waiting_tasks w where w.wake_at is not null order by w.wake_at limit 1));
  v_first.deadline_at := least(v_newest, (
    select r.deadline_at from tenuto.running_tasks r where r.deadline_at is not null order by r.deadline_at limit 1));
  v_first.silent_at := least(v_newest, (
    select r.silent_at from tenuto.running_tasks r where r.silent_at is not null order by r.silent_at limit 1));
  v_first.count_id := least(greatest(0, pg_sequence_last_value('tenuto.run_counts_id_seq') - 10000), (
    select c.id from tenuto.run_counts c order by c.id limit 1));
  v_first_audit := least(v_newest, (select r.created_at from tenuto.audit_arrivals r order by r.id limit 1));
  v_first.audit_id := tenuto._uuid7_floor(v_first_audit);

  update tenuto.due_floors f
  set available_at = v_first.available_at,
      wake_at      = v_first.wake_at,
      deadline_at  = v_first.deadline_at,
      silent_at    = v_first.silent_at,
      count_id     = v_first.count_id,
      audit_id     = v_first.audit_id
  where v_first.available_at not between f.available_at and f.available_at + interval '10 seconds'
     or v_first.wake_at not between f.wake_at and f.wake_at + interval '10 seconds'
     or v_first.deadline_at not between f.deadline_at and f.deadline_at + interval '10 seconds'
     or v_first.silent_at not between f.silent_at and f.silent_at + interval '10 seconds'
     or v_first.count_id not between f.count_id and f.count_id + 10000
     or v_first.audit_id < f.audit_id
     or f.audit_id < tenuto._uuid7_floor(v_first_audit - interval '10 seconds');
end
$$;
