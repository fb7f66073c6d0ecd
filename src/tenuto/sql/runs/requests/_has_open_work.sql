-- Returns whether a run of a resource group has not ended. The tables of unfinished tasks have no index by group, so
-- each of them is read completely.
create or replace function tenuto._has_open_work(p_group_no int)
  returns boolean
  language sql
  stable
as $$
  select exists (
           select from tenuto.runs r where r.status in ('pending', 'running', 'retrying') and r.group_no = p_group_no)
    or exists (select from tenuto.running_tasks t where t.group_no = p_group_no)
    or exists (select from tenuto.ready_tasks t where t.group_no = p_group_no)
    or exists (select from tenuto.pending_tasks t where t.group_no = p_group_no)
    or exists (select from tenuto.delayed_tasks t where t.group_no = p_group_no)
    or exists (select from tenuto.waiting_tasks t where t.group_no = p_group_no);
$$;
