-- Why a run was cancelled, if the request said so. Its cancelled tasks have the reason too, but a run may have none.
alter table tenuto.runs add column cancel_reason text;
