-- The first original of a task that a retry copied, for ctx.idempotency_key; null for a task that is no copy. Claims
-- return it: a copy may have recorded steps before its first attempt.
alter table tenuto.tasks add column root_id uuid;
update tenuto.tasks set root_id = copy_of where copy_of is not null;
alter type tenuto.claimed add attribute root_id uuid;

-- Whether the tasks of a part run again with their recorded steps.
alter table tenuto.run_request_parts add column replay boolean not null default false;
