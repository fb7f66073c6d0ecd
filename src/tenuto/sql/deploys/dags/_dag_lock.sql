-- Returns the number of the advisory lock of a DAG. A transaction that changes what is current, building or paused in
-- the DAG takes the lock exclusively (_lock_dag). A transaction that routes an event to jobs of the DAG takes it
-- shared. Row locks cannot do this: while events arrive, shared row locks follow each other without a gap, and a
-- cutover would wait without end.
create or replace function tenuto._dag_lock(p_dag_id uuid)
  returns bigint
  language sql
  immutable parallel safe
return hashtextextended('tenuto dag ' || p_dag_id, 0);
