"""Every table of the seeds is a view with every column that the seeds list."""

import pytest

from tests.support.database.tasks import Db

WGP = {
    "tasks": "id status task_type params attempts worker_id generation_started_at generation_processed_at"
    " error_message result_data created_at updated_at",
    "workers": "id instance_type status last_heartbeat metadata created_at",
    "orchestrator_status": "queued_tasks running_tasks completed_tasks error_tasks failed_tasks cancelled_tasks"
    " inactive_workers active_workers terminated_workers external_workers stale_workers stuck_tasks snapshot_time",
    "active_workers_health": "id instance_type status created_at last_heartbeat heartbeat_age_seconds vram_total_mb"
    " vram_used_mb vram_usage_percent current_task_id current_task_status current_task_type task_runtime_seconds"
    " health_status",
    "recent_task_activity": "id status task_type attempts worker_id created_at generation_started_at"
    " generation_processed_at updated_at error_message processing_duration_seconds worker_instance_type worker_status",
    "worker_performance": "worker_id instance_type status worker_created_at last_heartbeat total_tasks_processed"
    " completed_tasks error_tasks failed_tasks current_running_tasks success_rate_percent avg_processing_time_seconds"
    " uptime_hours",
    "task_queue_analysis": "task_type queued_tasks running_tasks completed_tasks failed_tasks avg_queue_time_minutes"
    " max_queue_time_minutes avg_processing_time_seconds max_processing_time_seconds error_count error_rate_percent",
}
FOREMAN = {
    "run": "id org_id status input_data output_data error_data metadata total_tasks completed_tasks failed_tasks"
    " created_at started_at completed_at duration_ms",
    "task": "id run_id parent_task_id org_id type status input_data output_data error_data metadata retry_count"
    " max_retries created_at queued_at started_at completed_at duration_ms queue_job_id",
    "run_data": "id run_id task_id org_id key value metadata created_at updated_at",
    "api_key": "id org_id name key_hash key_prefix permissions last_used_at expires_at created_at is_active",
    "audit_log": "id org_id entity_type entity_id action changes api_key_id ip_address user_agent created_at",
}
SPIDER = {
    "workers": "id heartbeat",
    "schedulers": "id address port heartbeat",
    "resource_groups": "id external_id",
    "jobs": "id resource_group_id creation_time state max_num_retries num_retries",
    "tasks": "id job_id func_name language state num_parents num_succeeded_parents timeout max_num_retries num_retries"
    " instance_id",
    "complete_task_dependencies": "parent child",
    "input_tasks": "job_id task_id position",
    "output_tasks": "job_id task_id position",
    "data": "id payload",
    "value": "id job_id type payload",
    "task_inputs": "task_id position type value_id data_id",
    "task_outputs": "task_id position type value_id data_id",
    "task_dependencies": "parent child position",
    "task_instances": "id task_id start_time",
    "data_locality": "id address",
    "resource_group_to_data_ref": "id resource_group_id",
    "job_to_data_ref": "id job_id",
}
TRACE = {
    "orgs": "id name slug settings created_at",
    "users": "id org_id external_id email role created_at",
    "org_roles": "id org_id slug name created_at",
    "org_role_memberships": "role_id user_id created_at",
    "dag_versions": "id org_id dag_name yaml_hash created_at",
    "dag_current_versions": "org_id dag_name dag_version_id updated_at",
    "jobs": "id org_id name dag_name dag_version_id activation runtime operator source bootstrap execution_strategy"
    " idle_timeout config config_hash input_datasets output_datasets update_strategy unique_key scaling timeout_seconds"
    " heartbeat_timeout_seconds max_attempts created_at updated_at",
    "datasets": "id org_id name producer_dag_name producer_job_name producer_output_index storage read_roles created_at"
    " updated_at",
    "dataset_versions": "id dataset_uuid created_at storage_location config_hash schema_hash range_start range_end",
    "dag_version_datasets": "dag_version_id dataset_uuid dataset_version",
    "tasks": "id job_id dedupe_key status attempt partitions input_versions worker_id lease_token lease_expires_at"
    " last_heartbeat started_at completed_at next_retry_at error_message outputs created_at",
    "outbox": "id kind payload status available_at attempts last_error created_at processed_at",
    "task_inputs": "task_id input_dataset_uuid input_partition_key input_version",
    "operator_state": "org_id job_id state_key state updated_at",
    "column_lineage": "output_dataset_uuid output_column input_dataset_uuid input_column job_id",
}
SCHEMAS = {"wgp": WGP, "foreman": FOREMAN, "spider": SPIDER, "trace": TRACE}
COLUMNS = """
select c.relname::text, string_agg(a.attname, ' ' order by a.attnum)
from pg_class c
join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
where c.relnamespace = %s::regnamespace and c.relkind = 'v' and c.relname !~ '^_'
group by 1
"""


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_table_of_a_seed_is_a_view_with_its_columns(db: Db, name: str) -> None:
    found = dict(db.execute(COLUMNS, [f"tenuto_compat_{name}"]).fetchall())

    assert found == SCHEMAS[name]
