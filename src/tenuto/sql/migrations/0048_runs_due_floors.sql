-- From where dispatchers read due work: before these times and this number are dead rows while a transaction holds
-- vacuum back. move_floors moves them, and searches before them for rows that committed late.
--   available_at: delayed_tasks; wake_at: waiting_tasks; deadline_at, silent_at: running_tasks; count_id: run_counts
create table tenuto.due_floors (
  available_at timestamptz not null,
  wake_at      timestamptz not null,
  deadline_at  timestamptz not null,
  silent_at    timestamptz not null,
  count_id     bigint not null,
  one          boolean primary key default true,
  constraint there_is_one_row_of_floors check (one)
);

insert into tenuto.due_floors (available_at, wake_at, deadline_at, silent_at, count_id)
values ('-infinity', '-infinity', '-infinity', '-infinity', 0);
