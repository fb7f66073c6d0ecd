-- The newest retry of a run: a run is retried once, unless the caller forces it.
alter table tenuto.runs add column retried_by uuid;
update tenuto.runs r
set retried_by = n.id
from (select distinct on (o.retry_of) o.retry_of, o.id
      from tenuto.runs o
      where o.retry_of is not null
      order by o.retry_of, o.id desc) n
where r.id = n.retry_of;

-- The ids of copies are derived from it (_copy_id). It is not the new run's id: that is the id of the first task's copy
-- where the old run's id was that of its first task.
alter table tenuto.run_requests add column base_id uuid;
update tenuto.run_requests set base_id = run_id where verb = 'retry';
alter table tenuto.run_requests
  add constraint a_retry_has_a_base check ((verb = 'retry') = (base_id is not null));
