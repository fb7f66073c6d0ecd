// Generated from the OpenAPI document by `make gen`; do not edit.

export interface ActivityRate {
  starts_at: string;
  completed: number;
  failed: number;
  retried: number;
  lost: number;
  cancelled: number;
  p50_seconds: number | null;
  p95_seconds: number | null;
  queue_seconds: number | null;
}

export interface AddGraphRequest {
  graph: GraphSpec;
  delay?: number | string | null;
  available_at?: string | null;
}

export interface AddedTasks {
  ids: Array<string>;
}

export interface AffectedReader {
  dag: string;
  job: string;
  dataset: string;
  effect: "updated" | "removed";
}

export interface Alert {
  id: string;
  rule: string;
  key: string;
  status: "firing" | "acknowledged" | "resolved";
  summary: string;
  details: unknown;
  evaluations: number;
  first_at: string;
  last_at: string;
  acknowledged_by: string | null;
  acknowledged_at: string | null;
  resolved_at: string | null;
}

export interface AlertRule {
  name: string;
  kind: "job_failures" | "dataset_age" | "dead_effects" | "no_worker" | "pool_trouble" | "job_alerts";
  target: string | null;
  threshold: number;
  seconds: number;
  destination: string | null;
  silenced_until: string | null;
  created_by: string;
  created_at: string;
}

export interface ApiInfoResponse {
  name: string;
  version: string;
  description: string;
  docs: string;
  dashboard: string;
  oidc: boolean;
}

export interface ApiKeyInfo {
  id: string;
  key_id: string | null;
  prefix: string | null;
  name: string;
  permissions: Array<string>;
  pepper_version: number;
  created_by: string;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  last_used_at: string | null;
  replaced_by: string | null;
  disabled_at: string | null;
}

export interface AttemptInfo {
  attempt: number;
  outcome: string;
  worker_id: string | null;
  queued_at: string | null;
  started_at: string | null;
  ended_at: string | null;
  duration_seconds: number | null;
  reported: boolean;
  error: unknown;
}

export interface AuditEntry {
  id: string;
  created_at: string;
  entity: string;
  entity_id: string;
  action: string;
  changes: Record<string, Record<string, unknown>>;
  actor_kind: string;
  actor_id: string;
  actor_name: string | null;
  ip: string | null;
  user_agent: string | null;
  request_id: string | null;
  seq: number | null;
}

export interface Backfill {
  id: string;
  dataset: string;
  dag: string;
  job: string | null;
  first: string | null;
  last: string | null;
  partitions: Array<string> | null;
  reprocess: "none" | "failed" | "all";
  downstream: "none" | "same" | "all";
  concurrency: number;
  descending: boolean;
  reason: string | null;
  created_by: string;
  status: "running" | "paused" | "cancelling" | "completed" | "failed" | "cancelled";
  error: string | null;
  total: number;
  planned: number;
  skipped: number;
  started: number;
  completed: number;
  failed: number;
  downstream_completed: number;
  downstream_failed: number;
  created_at: string;
  ended_at: string | null;
}

export interface BackfillPreview {
  total: number;
  starts: number;
  waits: number;
  skips: number;
}

export interface BackfillRequest {
  dataset: string;
  first?: string | null;
  last?: string | null;
  partitions?: Array<string> | null;
  reprocess?: "none" | "failed" | "all";
  downstream?: "none" | "same" | "all";
  concurrency?: number;
  descending?: boolean;
  reason?: string | null;
}

export interface BackfillTask {
  task_id: string;
  job: string | null;
  partition: string | null;
  direct: boolean;
  failed: boolean;
  error: string | null;
}

export interface BulkPiece {
  run_ids: Array<string>;
  refused: Array<Record<string, string>>;
  next_before: string | null;
  new_run_ids: Array<string>;
}

export interface CancelRunsRequest {
  before?: string | null;
  limit?: number;
  dry_run?: boolean;
  type?: string | null;
  name?: string | null;
  since?: string | null;
  status?: "pending" | "running" | "retrying" | null;
  reason?: string | null;
}

export interface ChangeResponse {
  kind: "run" | "task" | "worker";
  id: string;
  run_id: string | null;
  status: string;
  at: string;
}

export interface ChangesResponse {
  items: Array<ChangeResponse>;
  next: string;
}

export interface Count {
  count: number;
  exact: boolean;
}

export interface CountedPage_RunSummary_ {
  items: Array<RunSummary>;
  next: string | null;
  total: Count | null;
}

export interface CountedPage_TaskSummary_ {
  items: Array<TaskSummary>;
  next: string | null;
  total: Count | null;
}

export interface CreateKeyRequest {
  name: string;
  permissions: Array<string>;
  expires_at?: string | null;
}

export interface CreateRoleRequest {
  name: string;
  description?: string | null;
  display_name?: string | null;
}

export interface CreateUserRequest {
  issuer: string;
  subject: string;
  email?: string | null;
  name?: string | null;
  platform_role?: "reader" | "writer" | "admin" | null;
}

export interface CreateWorkerKeyRequest {
  name: string;
  queues?: Array<string>;
  expires_at?: string | null;
}

export interface CreatedKeyResponse {
  id: string;
  key: string;
}

export interface CurrentVersion {
  dag: string;
  version: number;
  yaml_hash: string;
  status: string;
  from_version: number | null;
}

export interface Cursor {
  dag: string;
  job: string;
  job_key: string;
  version_id: string;
  cursor: string;
  behind: number;
  task_id: string | null;
  updated_at: string;
}

export interface CutoverDagRequest {
  version?: number | null;
  expected?: number | null;
  force?: boolean;
}

export interface DagDocumentRequest {
  yaml: string;
}

export interface DagGraphResponse {
  dag: string;
  description: string | null;
  jobs: Array<JobNode>;
}

export interface DagSummary {
  name: string;
  version: number | null;
  yaml_hash: string | null;
  newest_version: number;
  newest_status: string;
  updated_at: string;
}

export interface DagVersion {
  dag: string;
  version: number;
  yaml_hash: string;
  status: string;
  jobs: number;
  created_by: string;
  created_at: string;
  completed: number | null;
  planned: number | null;
  error: string | null;
}

export interface DagVersionText {
  dag: string;
  version: number;
  yaml_hash: string;
  status: string;
  yaml: string;
  created_by: string;
  created_at: string;
  warnings: Array<string>;
}

export interface DataIdsResponse {
  ids: Array<string>;
}

export interface Dataset {
  id: string;
  name: string;
  dag: string;
  job: string | null;
  output: number | null;
  version_id: string | null;
  storage_location: string | null;
  read_roles: Array<string>;
  updated_at: string;
}

export interface DatasetChange {
  dataset: string;
  kind: string;
  job: string;
  output: number;
  renamed_from: string | null;
}

export interface DatasetVersion {
  id: string;
  dataset: string;
  config_hash: string;
  schema_hash: string | null;
  storage: Record<string, unknown>;
  storage_location: string;
  is_current: boolean;
  dag_versions: Array<number>;
  created_at: string;
  purged_at: string | null;
}

export interface DeleteRunsRequest {
  before?: string | null;
  limit?: number;
  dry_run?: boolean;
  type?: string | null;
  name?: string | null;
  since?: string | null;
  status?: "completed" | "failed" | "cancelled" | null;
}

export interface DeletedDag {
  dag: string;
  versions: number;
  datasets: Array<string>;
  dataset_versions: number;
}

export interface DeletedDatasetResponse {
  dataset: string;
  versions: number;
}

export interface DeletedResponse {
  deleted: number;
}

export interface DeployDagRequest {
  yaml: string;
  functions?: Array<string> | null;
  cutover?: boolean;
}

export interface DeployEntry {
  id: string;
  dag: string;
  action: string;
  from_version: number | null;
  to_version: number | null;
  plan: Record<string, unknown> | null;
  created_by: string;
  created_at: string;
}

export interface DeployedVersion {
  dag: string;
  version: number;
  yaml_hash: string;
  status: string;
  created: boolean;
  warnings: Array<string>;
}

export interface Destination {
  name: string;
  url: string;
  created_at: string;
  updated_at: string;
  openlineage: boolean;
}

export interface DestinationSecretResponse {
  name: string;
  secret: string | null;
}

export interface DiffResponse {
  dag: string;
  old_version: number;
  new_version: number;
  jobs: Array<JobChange>;
  datasets: Array<DatasetChange>;
  unchanged_jobs: number;
  warnings: Array<string>;
}

export interface DispatcherInfo {
  id: string;
  address: string;
  port: number;
  heartbeat: string;
  started_at: string;
}

export interface EditOrgRequest {
  name?: string | null;
  settings?: Record<string, unknown> | null;
}

export interface EditTagsRequest {
  add?: Array<string> | null;
  remove?: Array<string> | null;
}

export interface EditUserRequest {
  platform_role?: "reader" | "writer" | "admin" | null;
  disabled?: boolean | null;
}

export interface EffectSummary {
  id: number;
  kind: string;
  payload: unknown;
  status: string;
  attempts: number;
  available_at: string;
  last_error: string | null;
  created_at: string;
  processed_at: string | null;
  destination: string;
  key: string | null;
}

export interface Event {
  id: string;
  dataset: string | null;
  dag: string;
  job: string | null;
  version: number;
  output: number;
  partition: string | null;
  fingerprint: string | null;
  task_id: string | null;
  data: Record<string, unknown> | null;
  created_at: string;
}

export interface ExplanationResponse {
  why: string;
}

export interface FiredScheduleResponse {
  run_id: string;
}

export interface GraphEdge {
  task: string;
  on?: "completed" | "failed" | "continue";
}

export interface GraphNode {
  type: string;
  inherit?: boolean;
  language?: string | null;
  priority?: number | null;
  queue?: string | null;
  labels?: Array<string> | null;
  metadata?: Record<string, unknown> | null;
  timeout?: number | string | null;
  heartbeat_timeout?: number | string | null;
  backoff?: number | string | null;
  max_attempts?: number | null;
  max_losses?: number | null;
  optional?: boolean | null;
  limits?: Array<LimitSpec> | null;
  delay?: number | string | null;
  available_at?: string | null;
  name?: string | null;
  external_id?: string | null;
  input?: Record<string, unknown> | Array<unknown> | string | boolean | number;
  map?: Array<unknown> | null;
  after?: Array<string | GraphEdge>;
  handler?: "completed" | "failed" | "cancelled" | null;
  output_count?: number | null;
}

export interface GraphSpec {
  name?: string | null;
  tasks: Record<string, GraphNode>;
  outputs?: Array<OutputRef> | null;
}

export interface HealthResponse {
  status: string;
}

export interface HolderRequest {
  run_id?: string | null;
  group?: string | null;
}

export interface IdResponse {
  id: string;
}

export interface InvalidateRequest {
  reason: string;
  first?: string | null;
  last?: string | null;
  partitions?: Array<string> | null;
  row_filter?: Record<string, unknown> | null;
}

export interface Invalidation {
  id: string;
  dataset: string;
  first: string | null;
  last: string | null;
  partitions: Array<string> | null;
  row_filter: Record<string, unknown> | null;
  reason: string;
  created_by: string;
  status: "running" | "completed" | "failed";
  error: string | null;
  total: number;
  planned: number;
  invalidated: number;
  consumers: Array<InvalidationConsumer>;
  created_at: string;
  ended_at: string | null;
}

export interface InvalidationConsumer {
  job: string | null;
  direct: boolean;
  completed: number;
  failed: number;
  done_at: string | null;
}

export interface Items_ActivityRate_ {
  items: Array<ActivityRate>;
}

export interface Items_AttemptInfo_ {
  items: Array<AttemptInfo>;
}

export interface Items_DispatcherInfo_ {
  items: Array<DispatcherInfo>;
}

export interface Items_LogLine_ {
  items: Array<LogLine>;
}

export interface Items_PoolMachine_ {
  items: Array<PoolMachine>;
}

export interface Items_QueueStatus_ {
  items: Array<QueueStatus>;
}

export interface Items_RunAttempt_ {
  items: Array<RunAttempt>;
}

export interface Items_RunDataItem_ {
  items: Array<RunDataItem>;
}

export interface Items_RunGraphNode_ {
  items: Array<RunGraphNode>;
}

export interface Items_RunLogLine_ {
  items: Array<RunLogLine>;
}

export interface Items_RunResult_ {
  items: Array<RunResult>;
}

export interface Items_SearchResult_ {
  items: Array<SearchResult>;
}

export interface Items_TreeNode_ {
  items: Array<TreeNode>;
}

export interface Items_TriggeredTask_ {
  items: Array<TriggeredTask>;
}

export interface Items_TypeActivity_ {
  items: Array<TypeActivity>;
}

export interface Items_WorkerLogEntry_ {
  items: Array<WorkerLogEntry>;
}

export interface JobChange {
  job: string;
  kind: string;
  fields: Array<string>;
  because_of: Array<string>;
  renamed_from: string | null;
}

export interface JobNode {
  name: string;
  activation: string;
  operator: string;
  runtime: string;
  description: string | null;
  reads: Array<JobRead>;
  datasets: Array<string>;
}

export interface JobRead {
  job: string | null;
  dataset: string | null;
  triggers: boolean;
}

export interface JobSummary {
  dag: string;
  name: string;
  job_key: string;
  version: number;
  activation: string;
  runtime: string;
  operator: string;
  config_hash: string;
  paused_at: string | null;
  pause_reason: string | null;
  held_at: string | null;
}

export interface LimitSpec {
  scope: "key" | "queue" | "rate";
  key: string;
  size: number;
  seconds?: number | null;
}

export interface LimitStatus {
  scope: string;
  key: string;
  size: number;
  seconds: number | null;
  declared: boolean;
  queue: string | null;
  used: number;
  waiting: number;
  idle_since: string | null;
  overridden: boolean;
}

export interface LineageEdge {
  from: string;
  to: string;
  kind: "direct" | "indirect";
  subtype: string | null;
  method: "sql" | "declared" | "reported" | "inputs";
  confidence: "exact" | "stated" | "table";
  stale: boolean;
}

export interface LineageGraph {
  root: string | null;
  nodes: Array<LineageNode>;
  edges: Array<LineageEdge>;
  truncated: boolean;
}

export interface LineageNode {
  id: string;
  dataset: string;
  version: string;
  column: string | null;
  dag: string;
  current: boolean;
}

export interface LogLine {
  attempt: number;
  line_no: number;
  logged_at: string;
  level: string;
  message: string;
  fields: unknown;
  displayed_attempt: number;
}

export interface MeResponse {
  kind: string;
  id: string;
  org_id: string;
  name: string | null;
  platform_role: string | null;
  roles: Array<string>;
  permissions: Array<string>;
  csrf_token: string | null;
}

export interface Member {
  user_id: string;
  email: string | null;
  name: string | null;
  since: string;
}

export interface MissingPartition {
  partition: string | null;
  input: string;
  input_partition: string | null;
  state: "open" | "waiting" | "paused" | "failed" | "filtered" | "unpublished" | "not_started";
  reason: string;
  task_id: string | null;
  is_fixable: boolean;
}

export interface MoveDagRequest {
  version?: number | null;
  expected?: number | null;
}

export interface NamedTaskRequest {
  type: string;
  inherit?: boolean;
  language?: string | null;
  priority?: number | null;
  queue?: string | null;
  labels?: Array<string> | null;
  metadata?: Record<string, unknown> | null;
  timeout?: number | string | null;
  heartbeat_timeout?: number | string | null;
  backoff?: number | string | null;
  max_attempts?: number | null;
  max_losses?: number | null;
  optional?: boolean | null;
  limits?: Array<LimitSpec> | null;
  delay?: number | string | null;
  available_at?: string | null;
  name?: string | null;
  external_id?: string | null;
  input?: Record<string, unknown> | Array<unknown> | string | boolean | number;
  id?: string | null;
}

export interface NextRunResponse {
  next_at: string;
}

export interface ObjectResponse {
  id: string;
  type: string;
  size: number;
  checksum: string | null;
  metadata: unknown;
  created_at: string;
  addresses: Array<string>;
  hard: boolean;
  persisted: boolean;
}

export interface ObjectSummary {
  id: string;
  type: string;
  size: number;
  checksum: string | null;
  created_at: string;
  addresses: Array<string>;
  hard: boolean;
  persisted: boolean;
  reference_count: number;
  holders: Array<string>;
  collect_at: string | null;
}

export interface OpenRunRequest {
  open: true;
  id?: string | null;
  name?: string | null;
  input?: unknown;
  metadata?: Record<string, unknown> | null;
  dedupe_key?: string | null;
  resource_group?: string | null;
  run_attempts?: number | null;
  deadline?: number | string | null;
  expires?: number | string | null;
  hold?: boolean | null;
}

export interface Org {
  id: string;
  slug: string;
  name: string;
  settings: Record<string, unknown>;
  created_at: string;
}

export interface OrgRole {
  id: string;
  name: string;
  description: string | null;
  members: number;
  created_at: string;
  display_name: string;
}

export interface OrgStatus {
  ready: number;
  delayed: number;
  waiting: number;
  pending: number;
  running: number;
  oldest_ready_seconds: number | null;
  per_second: number;
  workers: Record<string, number>;
  dispatchers: number;
  failed_last_minute: number;
  lost_last_minute: number;
  outbox_pending: number;
  outbox_dead: number;
  parked: number;
  blocked: number;
  completed: number;
  failed: number;
  cancelled: number;
  skipped: number;
  health: Record<string, number>;
  stuck_tasks: number;
  rolled_up_until: string | null;
  oldest_effect_seconds: number | null;
  copy_problem: string | null;
}

export interface OutputRef {
  "$output": string;
  index?: number | null;
}

export interface Page_AlertRule_ {
  items: Array<AlertRule>;
  next: string | null;
}

export interface Page_Alert_ {
  items: Array<Alert>;
  next: string | null;
}

export interface Page_ApiKeyInfo_ {
  items: Array<ApiKeyInfo>;
  next: string | null;
}

export interface Page_AuditEntry_ {
  items: Array<AuditEntry>;
  next: string | null;
}

export interface Page_BackfillTask_ {
  items: Array<BackfillTask>;
  next: string | null;
}

export interface Page_Backfill_ {
  items: Array<Backfill>;
  next: string | null;
}

export interface Page_Cursor_ {
  items: Array<Cursor>;
  next: string | null;
}

export interface Page_DagSummary_ {
  items: Array<DagSummary>;
  next: string | null;
}

export interface Page_DagVersion_ {
  items: Array<DagVersion>;
  next: string | null;
}

export interface Page_DatasetVersion_ {
  items: Array<DatasetVersion>;
  next: string | null;
}

export interface Page_Dataset_ {
  items: Array<Dataset>;
  next: string | null;
}

export interface Page_DeployEntry_ {
  items: Array<DeployEntry>;
  next: string | null;
}

export interface Page_Destination_ {
  items: Array<Destination>;
  next: string | null;
}

export interface Page_EffectSummary_ {
  items: Array<EffectSummary>;
  next: string | null;
}

export interface Page_Event_ {
  items: Array<Event>;
  next: string | null;
}

export interface Page_Invalidation_ {
  items: Array<Invalidation>;
  next: string | null;
}

export interface Page_JobSummary_ {
  items: Array<JobSummary>;
  next: string | null;
}

export interface Page_LimitStatus_ {
  items: Array<LimitStatus>;
  next: string | null;
}

export interface Page_Member_ {
  items: Array<Member>;
  next: string | null;
}

export interface Page_ObjectSummary_ {
  items: Array<ObjectSummary>;
  next: string | null;
}

export interface Page_OrgRole_ {
  items: Array<OrgRole>;
  next: string | null;
}

export interface Page_Org_ {
  items: Array<Org>;
  next: string | null;
}

export interface Page_Partition_ {
  items: Array<Partition>;
  next: string | null;
}

export interface Page_PoolStatus_ {
  items: Array<PoolStatus>;
  next: string | null;
}

export interface Page_Reaction_ {
  items: Array<Reaction>;
  next: string | null;
}

export interface Page_ResourceGroup_ {
  items: Array<ResourceGroup>;
  next: string | null;
}

export interface Page_RunInput_ {
  items: Array<RunInput>;
  next: string | null;
}

export interface Page_ScalingDecision_ {
  items: Array<ScalingDecision>;
  next: string | null;
}

export interface Page_Schedule_ {
  items: Array<Schedule>;
  next: string | null;
}

export interface Page_SignedHeadResponse_ {
  items: Array<SignedHeadResponse>;
  next: string | null;
}

export interface Page_StoredBundle_ {
  items: Array<StoredBundle>;
  next: string | null;
}

export interface Page_TaskTypeSummary_ {
  items: Array<TaskTypeSummary>;
  next: string | null;
}

export interface Page_User_ {
  items: Array<User>;
  next: string | null;
}

export interface Page_WorkerKeyInfo_ {
  items: Array<WorkerKeyInfo>;
  next: string | null;
}

export interface Page_WorkerLife_ {
  items: Array<WorkerLife>;
  next: string | null;
}

export interface Page_WorkerStatus_ {
  items: Array<WorkerStatus>;
  next: string | null;
}

export interface ParkedRow {
  loop: string;
  key: string;
  org_id: string | null;
  run_id: string | null;
  task_id: string | null;
  error: string;
  sqlstate: string | null;
  failures: number;
  parked_at: string;
  retry_at: string;
  taken_until: string | null;
}

export interface Partition {
  partition: string | null;
  version_id: string;
  id: string;
  task_id: string;
  attempt: number;
  location: string;
  rows: number | null;
  bytes: number | null;
  fingerprint: string;
  schema_hash: string | null;
  checks: Array<Record<string, unknown>>;
  input_versions: Array<Record<string, unknown>>;
  committed_at: string;
}

export interface Plan {
  jobs: Array<JobChange>;
  datasets: Array<DatasetChange>;
  unchanged_jobs: number;
  warnings: Array<string>;
  dag: string;
  yaml_hash: string;
  current_version: number;
  rebuilds: Array<Rebuild>;
  denied: Array<string>;
  readers: Array<AffectedReader>;
}

export interface PlanDagRequest {
  yaml: string;
  functions?: Array<string> | null;
}

export interface PoolMachine {
  id: string;
  status: string;
  provider_id: string | null;
  running: number;
  idle_seconds: number | null;
  created_at: string;
  has_registered: boolean;
  external: boolean;
  error: string | null;
}

export interface PoolStatus {
  name: string;
  provider: string;
  min_workers: number;
  max_workers: number;
  spare_workers: number;
  tasks_per_worker: number;
  queues: Array<string> | null;
  types: Array<string> | null;
  labels: Array<string>;
  scale_up_multiplier: number;
  scale_down_multiplier: number;
  idle_timeout_seconds: number;
  over_capacity_timeout_seconds: number;
  scale_down_grace_seconds: number;
  starting_grace_seconds: number;
  spawn_timeout_seconds: number;
  max_failure_rate: number;
  failure_window_seconds: number;
  min_spawns_for_rate: number;
  settings: Record<string, unknown>;
  tiers: Array<Record<string, unknown>>;
  paused_at: string | null;
  created_at: string;
  starting: number;
  active: number;
  busy: number;
  draining: number;
  error: number;
  external: number;
  running: number;
  ready: number;
  wanted: number | null;
  reason: string | null;
  decided_at: string | null;
  problem: string | null;
  problem_at: string | null;
  controlled: boolean;
  id: string;
}

export interface Problem {
  type: string;
  title: string;
  status: number;
  code: string;
  detail: string;
  request_id: string;
  hint: string | null;
  errors: Array<Record<string, string | number>> | null;
  more_errors: number | null;
}

export interface PublishEffectRequest {
  kind: "deliver";
  payload: Record<string, unknown>;
  key?: string | null;
}

export interface PublishedEffect {
  id: number;
  created: boolean;
}

export interface PurgeDatasetRequest {
  keep?: number | null;
  dry_run?: boolean;
}

export interface PurgePiece {
  task_ids: Array<string>;
  next_before: string | null;
}

export interface PurgeRequest {
  before?: string | null;
  limit?: number;
  dry_run?: boolean;
  reason?: string | null;
}

export interface PurgeResponse {
  versions: Array<PurgedVersion>;
}

export interface PurgedVersion {
  id: string;
  storage_location: string;
  dag_versions: Array<number>;
  created_at: string;
}

export interface PutAlertRuleRequest {
  kind: "job_failures" | "dataset_age" | "dead_effects" | "no_worker" | "pool_trouble" | "job_alerts";
  target?: string | null;
  threshold?: number;
  seconds?: number;
  destination?: string | null;
}

export interface PutDataRequest {
  values: Record<string, unknown>;
  tags?: Array<string> | null;
  metadata?: Record<string, unknown> | null;
}

export interface PutDestinationRequest {
  url: string;
  openlineage?: boolean;
}

export interface PutScheduleRequest {
  type: string;
  inherit?: boolean;
  language?: string | null;
  priority?: number | null;
  queue?: string | null;
  labels?: Array<string> | null;
  metadata?: Record<string, unknown> | null;
  timeout?: number | string | null;
  heartbeat_timeout?: number | string | null;
  backoff?: number | string | null;
  max_attempts?: number | null;
  max_losses?: number | null;
  optional?: boolean | null;
  limits?: Array<LimitSpec> | null;
  input?: Record<string, unknown> | Array<unknown>;
  cron: string;
  timezone?: string;
  catch_up?: "skip" | "one" | "all";
  jitter?: number | string;
}

export interface QueryColumn {
  name: string;
  type: string;
}

export interface QueryRequest {
  sql: string;
  as_of?: string | null;
  format?: "json" | "csv" | "arrow";
  max_rows?: number;
}

export interface QueryResult {
  columns: Array<QueryColumn>;
  rows: Array<Array<unknown>>;
  versions: Array<VersionRead>;
  row_count: number;
  truncated: boolean;
}

export interface QueueStatus {
  name: string;
  paused_at: string | null;
  ready: number;
  delayed: number;
  waiting: number;
  running: number;
  oldest_ready_seconds: number | null;
}

export interface Reaction {
  event_id: string;
  job_id: string;
  dag: string;
  job: string;
  version: number;
  dataset: string | null;
  event_partition: string | null;
  partition: string | null;
  reaction: "triggered" | "deduped" | "filtered" | "paused" | "stale";
  reason: string | null;
  task_id: string | null;
  created_at: string;
}

export interface ReasonRequest {
  reason?: string | null;
}

export interface Rebuild {
  job: string;
  partitions: number | null;
  tasks: number | null;
}

export interface ReceivedResponse {
  task_id: string;
  created: boolean;
}

export interface Reconciliation {
  missing: Array<MissingPartition>;
  looked_at: number;
  next: string | null;
}

export interface ReleasedObject {
  id: string;
  released: boolean;
}

export interface ReleasedRun {
  id: string;
  released: boolean;
}

export interface ReplayRequest {
  ids?: Array<number> | null;
  kind?: string | null;
  all?: boolean;
}

export interface ReplayResponse {
  ids: Array<number>;
}

export interface RequestMachinesRequest {
  count?: number;
}

export interface RequestedMachines {
  requested: number;
}

export interface ResourceGroup {
  id: string;
  external_id: string;
  weight: number;
  quota: number | null;
  created_at: string;
}

export interface RetryRequest {
  reuse?: boolean;
  force?: boolean;
  from?: string | null;
}

export interface RetryRunsRequest {
  before?: string | null;
  limit?: number;
  dry_run?: boolean;
  type?: string | null;
  name?: string | null;
  since?: string | null;
  status?: "completed" | "failed" | "cancelled" | null;
  reuse?: boolean;
}

export interface RoleRequest {
  role: string;
}

export interface RotateKeyRequest {
  overlap_seconds?: number;
}

export interface RunAttempt {
  task_id: string;
  name: string | null;
  type: string;
  attempt: number;
  outcome: string;
  worker_id: string | null;
  queued_at: string | null;
  started_at: string | null;
  ended_at: string | null;
}

export interface RunDataItem {
  id: string;
  org_id: string;
  run_id: string;
  key: string;
  value: unknown;
  tags: Array<string>;
  task_id: string | null;
  attempt: number | null;
  created_at: string;
  metadata: Record<string, unknown> | null;
  updated_at: string;
}

export interface RunExplanation {
  id: string;
  status: string;
  open: boolean;
  total_tasks: number;
  tasks: Array<TaskExplanation>;
  parked: Array<ParkedRow>;
  deadline_at: string | null;
  expires_at: string | null;
  held: boolean;
}

export interface RunGraphNode {
  task_id: string;
  parent_id: string | null;
  name: string | null;
  type: string;
  status: string;
  attempt: number;
  optional: boolean;
  handler: string | null;
  started_at: string | null;
  completed_at: string | null;
  depends_on: Array<string>;
}

export interface RunInput {
  position: number;
  task_id: string;
  name: string | null;
  type: string;
  input: unknown;
  input_bytes: number | null;
}

export interface RunLogLine {
  task_id: string;
  task: string;
  attempt: number;
  line_no: number;
  logged_at: string;
  level: string;
  message: string;
  fields: unknown;
  displayed_attempt: number;
}

export interface RunProgress {
  action: string;
  done_tasks: number;
  total_tasks: number | null;
}

export interface RunResponse {
  id: string;
  org_id: string;
  name: string | null;
  type: string | null;
  single_task: boolean;
  resource_group: string;
  status: string;
  attempt: number;
  max_attempts: number;
  total_tasks: number;
  completed_tasks: number;
  failed_tasks: number;
  cancelled_tasks: number;
  skipped_tasks: number;
  input: unknown;
  output: unknown;
  output_omitted: boolean;
  error: unknown;
  failed_task_id: string | null;
  metadata: unknown;
  retry_of: string | null;
  retried_by: string | null;
  next_retry_at: string | null;
  cancel_requested_at: string | null;
  created_at: string;
  started_at: string | null;
  completed_at: string | null;
  duration_seconds: number | null;
  progress: RunProgress | null;
  cancel_reason: string | null;
  fraction: number;
  message: string | null;
  open: boolean;
  deadline_at: string | null;
  expires_at: string | null;
  held: boolean;
}

export interface RunResult {
  id: string;
  status: string;
  output: unknown;
  error: unknown;
  output_omitted: boolean;
}

export interface RunSummary {
  id: string;
  name: string | null;
  type: string | null;
  status: string;
  resource_group: string;
  attempt: number;
  max_attempts: number;
  total_tasks: number;
  completed_tasks: number;
  failed_tasks: number;
  cancelled_tasks: number;
  skipped_tasks: number;
  retry_of: string | null;
  retried_by: string | null;
  created_at: string;
  started_at: string | null;
  completed_at: string | null;
  duration_seconds: number | null;
  error: unknown;
  cancel_reason: string | null;
}

export interface ScalingDecision {
  id: string;
  decided_at: string;
  workers: number;
  wanted: number;
  reason: string;
  facts: Record<string, unknown>;
}

export interface Schedule {
  org_id: string;
  name: string;
  kind: Record<string, unknown>;
  input: unknown;
  details: Record<string, unknown> | null;
  cron: string;
  timezone: string;
  catch_up: string;
  jitter_seconds: number;
  paused_at: string | null;
  next_at: string | null;
  last_at: string | null;
  created_at: string;
}

export interface SearchResult {
  kind: "run" | "task" | "type" | "worker" | "dataset" | "dag" | "queue" | "schedule";
  id: string | null;
  name: string;
  about: string;
}

export interface ServedType {
  type: string;
  served: boolean;
  similar: string | null;
}

export interface SetGroupRequest {
  weight?: number | null;
  quota?: number | null;
}

export interface SetLimitRequest {
  size: number;
}

export interface SetPoolRequest {
  provider?: string | null;
  min_workers?: number | null;
  max_workers?: number | null;
  spare_workers?: number | null;
  tasks_per_worker?: number | null;
  queues?: Array<string> | null;
  types?: Array<string> | null;
  labels?: Array<string> | null;
  scale_up_multiplier?: number | null;
  scale_down_multiplier?: number | null;
  idle_timeout_seconds?: number | null;
  over_capacity_timeout_seconds?: number | null;
  scale_down_grace_seconds?: number | null;
  starting_grace_seconds?: number | null;
  spawn_timeout_seconds?: number | null;
  max_failure_rate?: number | null;
  failure_window_seconds?: number | null;
  min_spawns_for_rate?: number | null;
  settings?: Record<string, unknown> | null;
  tiers?: Array<Record<string, unknown>> | null;
  paused?: boolean | null;
}

export interface SignalInfo {
  name: string;
  value: unknown;
  value_bytes: number | null;
  sent_at: string;
  taken_by: string | null;
  taken_at: string | null;
}

export interface SignalRequest {
  name: string;
  value?: unknown;
}

export interface SignedHeadResponse {
  org_id: string;
  seq: number;
  hash: string;
  signed_at: string;
  signing_key_id: string;
  signature: string;
  public_key: Record<string, unknown> | null;
}

export interface SilenceRequest {
  seconds: number;
}

export interface SourceState {
  dag: string;
  job: string;
  kind: string;
  status: string;
  task_id: string | null;
  next_at: string | null;
  last_at: string | null;
  streams: Array<Record<string, unknown>>;
}

export interface StartGraphRequest {
  id?: string | null;
  dedupe_key?: string | null;
  resource_group?: string | null;
  run_attempts?: number | null;
  deadline?: number | string | null;
  expires?: number | string | null;
  hold?: boolean | null;
  strict?: boolean;
  graph: GraphSpec;
  delay?: number | string | null;
  available_at?: string | null;
  metadata?: Record<string, unknown> | null;
  input?: unknown;
}

export interface StartTaskRequest {
  id?: string | null;
  dedupe_key?: string | null;
  resource_group?: string | null;
  run_attempts?: number | null;
  deadline?: number | string | null;
  expires?: number | string | null;
  hold?: boolean | null;
  strict?: boolean;
  type: string;
  inherit?: boolean;
  language?: string | null;
  priority?: number | null;
  queue?: string | null;
  labels?: Array<string> | null;
  metadata?: Record<string, unknown> | null;
  timeout?: number | string | null;
  heartbeat_timeout?: number | string | null;
  backoff?: number | string | null;
  max_attempts?: number | null;
  max_losses?: number | null;
  optional?: boolean | null;
  limits?: Array<LimitSpec> | null;
  delay?: number | string | null;
  available_at?: string | null;
  name?: string | null;
  external_id?: string | null;
  input?: Record<string, unknown> | Array<unknown> | string | boolean | number;
}

export interface StartedRun {
  id: string;
  status: string;
  created: boolean;
}

export interface StartedRuns {
  items: Array<StartedRun>;
}

export interface StepInfo {
  step_no: number;
  name: string;
  kind: string;
  value: unknown;
  value_bytes: number | null;
  error: unknown;
  tries: number;
  retry_at: string | null;
  created_at: string;
}

export interface StoredBundle {
  id: string;
  sha256: string;
  name: string;
  size: number;
  types: Array<string>;
  created_by: string;
  created_at: string;
}

export interface TagsResponse {
  tags: Array<string>;
}

export interface TaskDetails {
  task: TaskStatus;
  dedupe_key: string | null;
  attempts: Array<AttemptInfo>;
  steps: Array<StepInfo>;
  signals: Array<SignalInfo>;
}

export interface TaskExplanation {
  id: string;
  why: string;
}

export interface TaskStatus {
  id: string;
  run_id: string;
  parent_id: string | null;
  position: number;
  name: string | null;
  queue: string;
  type: string;
  language: string;
  labels: Array<string>;
  priority: number;
  status: string;
  attempt: number;
  failures: number;
  losses: number;
  max_attempts: number;
  max_losses: number | null;
  run_attempt: number;
  optional: boolean;
  handler: string | null;
  input: unknown;
  output: unknown;
  error: unknown;
  metadata: unknown;
  limits: unknown;
  external_id: string | null;
  copy_of: string | null;
  created_at: string;
  available_at: string | null;
  queued_at: string | null;
  next_retry_at: string | null;
  started_at: string | null;
  completed_at: string | null;
  duration_seconds: number | null;
  waits_for: string | null;
  wake_at: string | null;
  remaining_dependencies: number | null;
  cancel_requested: boolean | null;
  progress: number | null;
  message: string | null;
  deadline_at: string | null;
  worker_id: string | null;
  lease_expires_at: string | null;
  timeout_seconds: number | null;
  last_heartbeat: string | null;
  partitions: Array<string> | null;
  input_versions: Array<Record<string, unknown>> | null;
}

export interface TaskSummary {
  id: string;
  run_id: string;
  parent_id: string | null;
  position: number;
  name: string | null;
  queue: string;
  type: string;
  labels: Array<string>;
  priority: number;
  status: string;
  attempt: number;
  failures: number;
  losses: number;
  max_attempts: number;
  error: unknown;
  progress: number | null;
  message: string | null;
  worker_id: string | null;
  created_at: string;
  available_at: string | null;
  next_retry_at: string | null;
  started_at: string | null;
  completed_at: string | null;
  job: string | null;
  partition: string | null;
}

export interface TaskType {
  type: string;
  kind: Record<string, unknown>;
  limits: unknown;
  declared_by: string | null;
  declared_at: string | null;
  bundle: string | null;
  input_schema: Record<string, unknown> | null;
  schema_problem: string | null;
}

export interface TaskTypeSummary {
  type: string;
  kind: Record<string, unknown>;
  limits: unknown;
  declared_by: string | null;
  declared_at: string | null;
  bundle: string | null;
}

export interface TreeNode {
  id: string;
  parent_id: string | null;
  depth: number;
  name: string | null;
  type: string;
  status: string;
  attempt: number;
  completed_at: string | null;
}

export interface TriggerJobRequest {
  partitions?: Array<string> | null;
  force?: boolean;
  dedupe_key?: string | null;
}

export interface TriggeredTask {
  task_id: string;
  partition: string | null;
  created: boolean;
  reused: boolean;
}

export interface TypeActivity {
  type: string;
  queued: number;
  running: number;
  oldest_queued_seconds: number | null;
  completed: number;
  errors: number;
  error_rate_percent: number | null;
  p50_seconds: number | null;
  p95_seconds: number | null;
  p99_seconds: number | null;
}

export interface UpdateKeyRequest {
  name?: string | null;
  active?: boolean | null;
  expires_at?: string | null;
}

export interface UpdateRequest {
  reason?: string | null;
  status?: "cancelled" | null;
  metadata?: Record<string, unknown> | null;
}

export interface UpdateScheduleRequest {
  cron?: string | null;
  timezone?: string | null;
  catch_up?: "skip" | "one" | "all" | null;
  jitter?: number | string | null;
  input?: Record<string, unknown> | Array<unknown> | null;
  metadata?: Record<string, unknown> | null;
}

export interface User {
  id: string;
  issuer: string;
  subject: string;
  email: string | null;
  name: string | null;
  platform_role: string;
  roles: Array<string>;
  created_at: string;
  disabled_at: string | null;
}

export interface VersionRead {
  dataset: string;
  version_id: string | null;
  dag: string;
  dag_version: number | null;
}

export interface WaitForRunsRequest {
  run_ids: Array<string>;
  wait?: number;
}

export interface WebhookResponse {
  org_id: string;
  dag: string;
  job: string;
  path: string;
  job_key: string;
  rotation: number;
  url_path: string;
  secret: string;
}

export interface WholeBundle {
  id: string;
  sha256: string;
  name: string;
  size: number;
  types: Array<string>;
  created_by: string;
  created_at: string;
  manifest: Record<string, unknown>;
}

export interface WholeDataset {
  id: string;
  name: string;
  dag: string;
  job: string | null;
  output: number | null;
  version_id: string | null;
  storage_location: string | null;
  read_roles: Array<string>;
  updated_at: string;
  config_hash: string | null;
  schema_hash: string | null;
  storage: Record<string, unknown> | null;
  buffered: Record<string, unknown> | null;
}

export interface WholeJob {
  dag: string;
  name: string;
  job_key: string;
  version: number;
  activation: string;
  runtime: string;
  operator: string;
  config_hash: string;
  metadata_hash: string;
  definition: Record<string, unknown>;
  paused_at: string | null;
  pause_reason: string | null;
  held_at: string | null;
  hold_reason: string | null;
  backlog: Record<string, unknown> | null;
  problem: string | null;
}

export interface WorkerKeyInfo {
  id: string;
  key_id: string;
  name: string;
  queues: Array<string>;
  pepper_version: number;
  created_by: string;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  last_used_at: string | null;
  replaced_by: string | null;
}

export interface WorkerLife {
  session_id: number;
  started_at: string;
  ended_at: string | null;
  end_reason: string | null;
  lease_expires_at: string | null;
  lease_seconds: number;
  queues: Array<string> | null;
  running: number;
}

export interface WorkerLogEntry {
  line_no: number;
  logged_at: string;
  level: string;
  message: string;
}

export interface WorkerStatus {
  id: string;
  status: string;
  instance_type: string;
  address: string | null;
  labels: Array<string>;
  languages: Array<string>;
  metadata: Record<string, unknown>;
  running: number;
  created_at: string;
  last_heartbeat: string | null;
  lease_expires_at: string | null;
  drained_at: string | null;
  drain_reason: string | null;
  error: string | null;
  terminated_at: string | null;
  health_status: string | null;
  stuck_tasks: number;
  current_task_id: string | null;
  current_task_type: string | null;
  task_runtime_seconds: number | null;
  error_at: string | null;
}

export interface Operations {
  "DELETE /v1/alert-rules/{name}": {
    path: {
      name: string;
    };
    query: Record<string, never>;
    body: undefined;
    response: undefined;
  };
  "DELETE /v1/bundles/{sha256}": {
    path: {
      sha256: string;
    };
    query: Record<string, never>;
    body: undefined;
    response: undefined;
  };
  "DELETE /v1/dags/{name}": {
    path: {
      name: string;
    };
    query: {
      force?: boolean;
      dry_run?: boolean;
    };
    body: undefined;
    response: DeletedDag;
  };
  "DELETE /v1/datasets/{name}": {
    path: {
      name: string;
    };
    query: {
      dry_run?: boolean;
    };
    body: undefined;
    response: DeletedDatasetResponse;
  };
  "DELETE /v1/destinations/{name}": {
    path: {
      name: string;
    };
    query: Record<string, never>;
    body: undefined;
    response: undefined;
  };
  "DELETE /v1/groups/{name}": {
    path: {
      name: string;
    };
    query: Record<string, never>;
    body: undefined;
    response: undefined;
  };
  "DELETE /v1/keys/{id}": {
    path: {
      id: string;
    };
    query: Record<string, never>;
    body: undefined;
    response: undefined;
  };
  "DELETE /v1/limits/{scope}/{key}": {
    path: {
      scope: "key" | "queue";
      key: string;
    };
    query: Record<string, never>;
    body: undefined;
    response: undefined;
  };
  "DELETE /v1/objects/{object_id}": {
    path: {
      object_id: string;
    };
    query: Record<string, never>;
    body: undefined;
    response: undefined;
  };
  "DELETE /v1/pools/{name}": {
    path: {
      name: string;
    };
    query: {
      force?: boolean;
    };
    body: undefined;
    response: undefined;
  };
  "DELETE /v1/roles/{name}": {
    path: {
      name: string;
    };
    query: Record<string, never>;
    body: undefined;
    response: undefined;
  };
  "DELETE /v1/roles/{name}/members/{user_id}": {
    path: {
      name: string;
      user_id: string;
    };
    query: Record<string, never>;
    body: undefined;
    response: undefined;
  };
  "DELETE /v1/runs/{run_id}": {
    path: {
      run_id: string;
    };
    query: Record<string, never>;
    body: undefined;
    response: RunResponse | undefined;
  };
  "DELETE /v1/runs/{run_id}/data": {
    path: {
      run_id: string;
    };
    query: {
      key?: string | null;
      data_id?: string | null;
    };
    body: undefined;
    response: DeletedResponse;
  };
  "DELETE /v1/schedules/{name}": {
    path: {
      name: string;
    };
    query: Record<string, never>;
    body: undefined;
    response: undefined;
  };
  "DELETE /v1/tasks/{task_id}": {
    path: {
      task_id: string;
    };
    query: Record<string, never>;
    body: undefined;
    response: undefined;
  };
  "DELETE /v1/worker-keys/{id}": {
    path: {
      id: string;
    };
    query: Record<string, never>;
    body: undefined;
    response: undefined;
  };
  "GET /": {
    path: Record<string, never>;
    query: Record<string, never>;
    body: undefined;
    response: ApiInfoResponse;
  };
  "GET /auth/callback": {
    path: Record<string, never>;
    query: {
      code?: string | null;
      state?: string | null;
      error?: string | null;
    };
    body: undefined;
    response: undefined;
  };
  "GET /auth/link": {
    path: Record<string, never>;
    query: {
      token: string;
    };
    body: undefined;
    response: undefined;
  };
  "GET /auth/login": {
    path: Record<string, never>;
    query: {
      next?: string | null;
      org?: string | null;
    };
    body: undefined;
    response: undefined;
  };
  "GET /auth/me": {
    path: Record<string, never>;
    query: Record<string, never>;
    body: undefined;
    response: MeResponse;
  };
  "GET /healthz": {
    path: Record<string, never>;
    query: Record<string, never>;
    body: undefined;
    response: HealthResponse;
  };
  "GET /metrics": {
    path: Record<string, never>;
    query: Record<string, never>;
    body: undefined;
    response: undefined;
  };
  "GET /openapi.json": {
    path: Record<string, never>;
    query: Record<string, never>;
    body: undefined;
    response: unknown;
  };
  "GET /readyz": {
    path: Record<string, never>;
    query: Record<string, never>;
    body: undefined;
    response: HealthResponse;
  };
  "GET /v1/activity": {
    path: Record<string, never>;
    query: {
      limit?: number;
    };
    body: undefined;
    response: Items_TypeActivity_;
  };
  "GET /v1/alert-rules": {
    path: Record<string, never>;
    query: {
      limit?: number;
      after?: string | null;
    };
    body: undefined;
    response: Page_AlertRule_;
  };
  "GET /v1/alerts": {
    path: Record<string, never>;
    query: {
      limit?: number;
      status?: "firing" | "acknowledged" | "resolved" | null;
      before?: string | null;
    };
    body: undefined;
    response: Page_Alert_;
  };
  "GET /v1/audit": {
    path: Record<string, never>;
    query: {
      limit?: number;
      entity?: string | null;
      entity_id?: string | null;
      action?: string | null;
      actor_id?: string | null;
      before?: string | null;
      since?: string | null;
      until?: string | null;
      ip?: string | null;
    };
    body: undefined;
    response: Page_AuditEntry_;
  };
  "GET /v1/audit/heads": {
    path: Record<string, never>;
    query: {
      limit?: number;
      before?: number | null;
    };
    body: undefined;
    response: Page_SignedHeadResponse_;
  };
  "GET /v1/backfills": {
    path: Record<string, never>;
    query: {
      limit?: number;
      dataset?: string | null;
      status?: "running" | "paused" | "cancelling" | "completed" | "failed" | "cancelled" | null;
      before?: string | null;
    };
    body: undefined;
    response: Page_Backfill_;
  };
  "GET /v1/backfills/{backfill_id}": {
    path: {
      backfill_id: string;
    };
    query: Record<string, never>;
    body: undefined;
    response: Backfill;
  };
  "GET /v1/backfills/{backfill_id}/tasks": {
    path: {
      backfill_id: string;
    };
    query: {
      limit?: number;
      after?: string | null;
    };
    body: undefined;
    response: Page_BackfillTask_;
  };
  "GET /v1/bundles": {
    path: Record<string, never>;
    query: {
      limit?: number;
      before?: string | null;
    };
    body: undefined;
    response: Page_StoredBundle_;
  };
  "GET /v1/bundles/{sha256}": {
    path: {
      sha256: string;
    };
    query: Record<string, never>;
    body: undefined;
    response: WholeBundle;
  };
  "GET /v1/bundles/{sha256}/content": {
    path: {
      sha256: string;
    };
    query: Record<string, never>;
    body: undefined;
    response: undefined;
  };
  "GET /v1/changes": {
    path: Record<string, never>;
    query: {
      after?: string | null;
    };
    body: undefined;
    response: ChangesResponse;
  };
  "GET /v1/dags": {
    path: Record<string, never>;
    query: {
      limit?: number;
      after?: string | null;
    };
    body: undefined;
    response: Page_DagSummary_;
  };
  "GET /v1/dags/{name}": {
    path: {
      name: string;
    };
    query: Record<string, never>;
    body: undefined;
    response: DagVersionText;
  };
  "GET /v1/dags/{name}/diff": {
    path: {
      name: string;
    };
    query: {
      old: number;
      new: number;
    };
    body: undefined;
    response: DiffResponse;
  };
  "GET /v1/dags/{name}/history": {
    path: {
      name: string;
    };
    query: {
      limit?: number;
      before?: string | null;
    };
    body: undefined;
    response: Page_DeployEntry_;
  };
  "GET /v1/dags/{name}/versions": {
    path: {
      name: string;
    };
    query: {
      limit?: number;
      before?: number | null;
    };
    body: undefined;
    response: Page_DagVersion_;
  };
  "GET /v1/dags/{name}/versions/{version}": {
    path: {
      name: string;
      version: number;
    };
    query: Record<string, never>;
    body: undefined;
    response: DagVersionText;
  };
  "GET /v1/data/{data_id}": {
    path: {
      data_id: string;
    };
    query: Record<string, never>;
    body: undefined;
    response: RunDataItem;
  };
  "GET /v1/datasets": {
    path: Record<string, never>;
    query: {
      limit?: number;
      after?: string | null;
    };
    body: undefined;
    response: Page_Dataset_;
  };
  "GET /v1/datasets/{name}": {
    path: {
      name: string;
    };
    query: Record<string, never>;
    body: undefined;
    response: WholeDataset;
  };
  "GET /v1/datasets/{name}/cursors": {
    path: {
      name: string;
    };
    query: {
      limit?: number;
      after?: string | null;
    };
    body: undefined;
    response: Page_Cursor_;
  };
  "GET /v1/datasets/{name}/partitions": {
    path: {
      name: string;
    };
    query: {
      limit?: number;
      version_id?: string | null;
      after?: string | null;
    };
    body: undefined;
    response: Page_Partition_;
  };
  "GET /v1/datasets/{name}/reconcile": {
    path: {
      name: string;
    };
    query: {
      limit?: number;
      after?: string | null;
    };
    body: undefined;
    response: Reconciliation;
  };
  "GET /v1/datasets/{name}/versions": {
    path: {
      name: string;
    };
    query: {
      limit?: number;
      before?: string | null;
    };
    body: undefined;
    response: Page_DatasetVersion_;
  };
  "GET /v1/destinations": {
    path: Record<string, never>;
    query: {
      limit?: number;
      after?: string | null;
    };
    body: undefined;
    response: Page_Destination_;
  };
  "GET /v1/dispatchers": {
    path: Record<string, never>;
    query: Record<string, never>;
    body: undefined;
    response: Items_DispatcherInfo_;
  };
  "GET /v1/events": {
    path: Record<string, never>;
    query: {
      limit?: number;
      dataset?: string | null;
      before?: string | null;
    };
    body: undefined;
    response: Page_Event_;
  };
  "GET /v1/events/{event_id}/reactions": {
    path: {
      event_id: string;
    };
    query: {
      limit?: number;
      after?: string | null;
    };
    body: undefined;
    response: Page_Reaction_;
  };
  "GET /v1/groups": {
    path: Record<string, never>;
    query: {
      limit?: number;
      after?: string | null;
    };
    body: undefined;
    response: Page_ResourceGroup_;
  };
  "GET /v1/groups/{name}": {
    path: {
      name: string;
    };
    query: Record<string, never>;
    body: undefined;
    response: ResourceGroup;
  };
  "GET /v1/invalidations": {
    path: Record<string, never>;
    query: {
      limit?: number;
      dataset?: string | null;
      before?: string | null;
    };
    body: undefined;
    response: Page_Invalidation_;
  };
  "GET /v1/invalidations/{invalidation_id}": {
    path: {
      invalidation_id: string;
    };
    query: Record<string, never>;
    body: undefined;
    response: Invalidation;
  };
  "GET /v1/jobs": {
    path: Record<string, never>;
    query: {
      limit?: number;
      dag?: string | null;
      after?: string | null;
    };
    body: undefined;
    response: Page_JobSummary_;
  };
  "GET /v1/jobs/{dag}/{name}": {
    path: {
      dag: string;
      name: string;
    };
    query: Record<string, never>;
    body: undefined;
    response: WholeJob;
  };
  "GET /v1/jobs/{dag}/{name}/reactions": {
    path: {
      dag: string;
      name: string;
    };
    query: {
      limit?: number;
      after?: string | null;
    };
    body: undefined;
    response: Page_Reaction_;
  };
  "GET /v1/jobs/{dag}/{name}/source": {
    path: {
      dag: string;
      name: string;
    };
    query: Record<string, never>;
    body: undefined;
    response: SourceState;
  };
  "GET /v1/jobs/{dag}/{name}/webhook": {
    path: {
      dag: string;
      name: string;
    };
    query: Record<string, never>;
    body: undefined;
    response: WebhookResponse;
  };
  "GET /v1/keys": {
    path: Record<string, never>;
    query: {
      limit?: number;
      before?: string | null;
      key_id?: string | null;
    };
    body: undefined;
    response: Page_ApiKeyInfo_;
  };
  "GET /v1/keys/{id}": {
    path: {
      id: string;
    };
    query: Record<string, never>;
    body: undefined;
    response: ApiKeyInfo;
  };
  "GET /v1/limits": {
    path: Record<string, never>;
    query: {
      limit?: number;
      scope?: "key" | "queue" | "rate" | null;
      after?: string | null;
    };
    body: undefined;
    response: Page_LimitStatus_;
  };
  "GET /v1/limits/{scope}/{key}": {
    path: {
      scope: "key" | "queue" | "rate";
      key: string;
    };
    query: Record<string, never>;
    body: undefined;
    response: LimitStatus;
  };
  "GET /v1/lineage": {
    path: Record<string, never>;
    query: {
      dataset: string;
      column?: string | null;
      version_id?: string | null;
      direction?: "up" | "down" | "both";
      depth?: number;
    };
    body: undefined;
    response: LineageGraph;
  };
  "GET /v1/objects": {
    path: Record<string, never>;
    query: {
      limit?: number;
      held_by?: string | null;
      group?: string | null;
      before?: string | null;
    };
    body: undefined;
    response: Page_ObjectSummary_;
  };
  "GET /v1/objects/{object_id}": {
    path: {
      object_id: string;
    };
    query: Record<string, never>;
    body: undefined;
    response: undefined;
  };
  "GET /v1/orgs": {
    path: Record<string, never>;
    query: {
      limit?: number;
    };
    body: undefined;
    response: Page_Org_;
  };
  "GET /v1/orgs/{slug}": {
    path: {
      slug: string;
    };
    query: Record<string, never>;
    body: undefined;
    response: Org;
  };
  "GET /v1/outbox": {
    path: Record<string, never>;
    query: {
      limit?: number;
      status?: "pending" | "processing" | "done" | "dead" | null;
      kind?: string | null;
      before?: number | null;
    };
    body: undefined;
    response: Page_EffectSummary_;
  };
  "GET /v1/pools": {
    path: Record<string, never>;
    query: {
      limit?: number;
      after?: string | null;
    };
    body: undefined;
    response: Page_PoolStatus_;
  };
  "GET /v1/pools/{name}": {
    path: {
      name: string;
    };
    query: Record<string, never>;
    body: undefined;
    response: PoolStatus;
  };
  "GET /v1/pools/{name}/decisions": {
    path: {
      name: string;
    };
    query: {
      limit?: number;
      before?: string | null;
    };
    body: undefined;
    response: Page_ScalingDecision_;
  };
  "GET /v1/pools/{name}/machines": {
    path: {
      name: string;
    };
    query: Record<string, never>;
    body: undefined;
    response: Items_PoolMachine_;
  };
  "GET /v1/queues": {
    path: Record<string, never>;
    query: Record<string, never>;
    body: undefined;
    response: Items_QueueStatus_;
  };
  "GET /v1/rates": {
    path: Record<string, never>;
    query: {
      period?: "minute" | "hour" | "day";
      limit?: number;
      type?: string | null;
    };
    body: undefined;
    response: Items_ActivityRate_;
  };
  "GET /v1/roles": {
    path: Record<string, never>;
    query: {
      limit?: number;
      after?: string | null;
    };
    body: undefined;
    response: Page_OrgRole_;
  };
  "GET /v1/roles/{name}/members": {
    path: {
      name: string;
    };
    query: {
      limit?: number;
      after?: string | null;
    };
    body: undefined;
    response: Page_Member_;
  };
  "GET /v1/runs": {
    path: Record<string, never>;
    query: {
      limit?: number;
      sort?: "-created_at" | "created_at";
      before?: string | null;
      after?: string | null;
      since?: string | null;
      until?: string | null;
      metadata?: string | null;
      count?: boolean;
      status?: Array<"pending" | "running" | "retrying" | "completed" | "failed" | "cancelled"> | null;
      name?: string | null;
      type?: string | null;
      dedupe_key?: string | null;
    };
    body: undefined;
    response: CountedPage_RunSummary_;
  };
  "GET /v1/runs/{run_id}": {
    path: {
      run_id: string;
    };
    query: {
      wait?: number;
    };
    body: undefined;
    response: RunResponse;
  };
  "GET /v1/runs/{run_id}/attempts": {
    path: {
      run_id: string;
    };
    query: {
      limit?: number;
    };
    body: undefined;
    response: Items_RunAttempt_;
  };
  "GET /v1/runs/{run_id}/data": {
    path: {
      run_id: string;
    };
    query: {
      keys?: Array<string> | null;
      prefix?: string | null;
      glob?: string | null;
      tags?: Array<string> | null;
      all_tags?: boolean;
      tag_prefix?: string | null;
      history?: boolean;
      limit?: number;
    };
    body: undefined;
    response: Items_RunDataItem_;
  };
  "GET /v1/runs/{run_id}/data/{key}": {
    path: {
      run_id: string;
      key: string;
    };
    query: Record<string, never>;
    body: undefined;
    response: RunDataItem;
  };
  "GET /v1/runs/{run_id}/graph": {
    path: {
      run_id: string;
    };
    query: {
      limit?: number;
    };
    body: undefined;
    response: Items_RunGraphNode_;
  };
  "GET /v1/runs/{run_id}/inputs": {
    path: {
      run_id: string;
    };
    query: {
      limit?: number;
      after?: number;
    };
    body: undefined;
    response: Page_RunInput_;
  };
  "GET /v1/runs/{run_id}/logs": {
    path: {
      run_id: string;
    };
    query: {
      after?: string | null;
      after_task?: string | null;
      after_attempt?: number | null;
      after_line?: number | null;
      limit?: number;
    };
    body: undefined;
    response: Items_RunLogLine_;
  };
  "GET /v1/runs/{run_id}/tasks": {
    path: {
      run_id: string;
    };
    query: {
      limit?: number;
      sort?: "-created_at" | "created_at";
      before?: string | null;
      after?: string | null;
      since?: string | null;
      until?: string | null;
      metadata?: string | null;
      count?: boolean;
      status?: Array<"pending" | "queued" | "running" | "waiting" | "retrying" | "completed" | "failed" | "cancelled" | "skipped"> | null;
      queue?: string | null;
      type?: string | null;
      job?: string | null;
    };
    body: undefined;
    response: CountedPage_TaskSummary_;
  };
  "GET /v1/runs/{run_id}/why": {
    path: {
      run_id: string;
    };
    query: Record<string, never>;
    body: undefined;
    response: RunExplanation;
  };
  "GET /v1/schedules": {
    path: Record<string, never>;
    query: {
      limit?: number;
      after?: string | null;
    };
    body: undefined;
    response: Page_Schedule_;
  };
  "GET /v1/schedules/{name}": {
    path: {
      name: string;
    };
    query: Record<string, never>;
    body: undefined;
    response: Schedule;
  };
  "GET /v1/search": {
    path: Record<string, never>;
    query: {
      q: string;
      limit?: number;
    };
    body: undefined;
    response: Items_SearchResult_;
  };
  "GET /v1/status": {
    path: Record<string, never>;
    query: Record<string, never>;
    body: undefined;
    response: OrgStatus;
  };
  "GET /v1/tasks": {
    path: Record<string, never>;
    query: {
      limit?: number;
      sort?: "-created_at" | "created_at";
      before?: string | null;
      after?: string | null;
      since?: string | null;
      until?: string | null;
      metadata?: string | null;
      count?: boolean;
      status?: Array<"pending" | "queued" | "running" | "waiting" | "retrying" | "completed" | "failed" | "cancelled" | "skipped"> | null;
      queue?: string | null;
      type?: string | null;
      job?: string | null;
      run_id?: string | null;
      external_id?: string | null;
    };
    body: undefined;
    response: CountedPage_TaskSummary_;
  };
  "GET /v1/tasks/{task_id}": {
    path: {
      task_id: string;
    };
    query: {
      wait?: number;
    };
    body: undefined;
    response: TaskStatus;
  };
  "GET /v1/tasks/{task_id}/attempts": {
    path: {
      task_id: string;
    };
    query: Record<string, never>;
    body: undefined;
    response: Items_AttemptInfo_;
  };
  "GET /v1/tasks/{task_id}/details": {
    path: {
      task_id: string;
    };
    query: Record<string, never>;
    body: undefined;
    response: TaskDetails;
  };
  "GET /v1/tasks/{task_id}/logs": {
    path: {
      task_id: string;
    };
    query: {
      after_attempt?: number;
      after_line?: number;
      limit?: number;
    };
    body: undefined;
    response: Items_LogLine_;
  };
  "GET /v1/tasks/{task_id}/tree": {
    path: {
      task_id: string;
    };
    query: Record<string, never>;
    body: undefined;
    response: Items_TreeNode_;
  };
  "GET /v1/tasks/{task_id}/why": {
    path: {
      task_id: string;
    };
    query: Record<string, never>;
    body: undefined;
    response: ExplanationResponse;
  };
  "GET /v1/types": {
    path: Record<string, never>;
    query: {
      limit?: number;
      after?: string | null;
    };
    body: undefined;
    response: Page_TaskTypeSummary_;
  };
  "GET /v1/types/{type}": {
    path: {
      type: string;
    };
    query: Record<string, never>;
    body: undefined;
    response: TaskType;
  };
  "GET /v1/types/{type}/served": {
    path: {
      type: string;
    };
    query: Record<string, never>;
    body: undefined;
    response: ServedType;
  };
  "GET /v1/users": {
    path: Record<string, never>;
    query: {
      limit?: number;
      before?: string | null;
    };
    body: undefined;
    response: Page_User_;
  };
  "GET /v1/users/{user_id}": {
    path: {
      user_id: string;
    };
    query: Record<string, never>;
    body: undefined;
    response: User;
  };
  "GET /v1/worker-keys": {
    path: Record<string, never>;
    query: {
      limit?: number;
      before?: string | null;
      key_id?: string | null;
    };
    body: undefined;
    response: Page_WorkerKeyInfo_;
  };
  "GET /v1/worker-keys/{id}": {
    path: {
      id: string;
    };
    query: Record<string, never>;
    body: undefined;
    response: WorkerKeyInfo;
  };
  "GET /v1/workers": {
    path: Record<string, never>;
    query: {
      limit?: number;
      after?: string | null;
      status?: "starting" | "active" | "draining" | "error" | "terminated" | null;
    };
    body: undefined;
    response: Page_WorkerStatus_;
  };
  "GET /v1/workers/{name}": {
    path: {
      name: string;
    };
    query: Record<string, never>;
    body: undefined;
    response: WorkerStatus;
  };
  "GET /v1/workers/{name}/history": {
    path: {
      name: string;
    };
    query: {
      limit?: number;
      before?: number | null;
    };
    body: undefined;
    response: Page_WorkerLife_;
  };
  "GET /v1/workers/{name}/logs": {
    path: {
      name: string;
    };
    query: {
      after?: number | null;
      limit?: number;
    };
    body: undefined;
    response: Items_WorkerLogEntry_;
  };
  "HEAD /v1/objects/{object_id}": {
    path: {
      object_id: string;
    };
    query: Record<string, never>;
    body: undefined;
    response: undefined;
  };
  "PATCH /v1/data/{data_id}/tags": {
    path: {
      data_id: string;
    };
    query: Record<string, never>;
    body: EditTagsRequest;
    response: TagsResponse;
  };
  "PATCH /v1/keys/{id}": {
    path: {
      id: string;
    };
    query: Record<string, never>;
    body: UpdateKeyRequest;
    response: ApiKeyInfo;
  };
  "PATCH /v1/orgs/{slug}": {
    path: {
      slug: string;
    };
    query: Record<string, never>;
    body: EditOrgRequest;
    response: undefined;
  };
  "PATCH /v1/runs/{run_id}": {
    path: {
      run_id: string;
    };
    query: Record<string, never>;
    body: UpdateRequest;
    response: RunResponse | undefined;
  };
  "PATCH /v1/schedules/{name}": {
    path: {
      name: string;
    };
    query: Record<string, never>;
    body: UpdateScheduleRequest;
    response: Schedule;
  };
  "PATCH /v1/tasks/{task_id}": {
    path: {
      task_id: string;
    };
    query: Record<string, never>;
    body: UpdateRequest;
    response: undefined;
  };
  "PATCH /v1/users/{user_id}": {
    path: {
      user_id: string;
    };
    query: Record<string, never>;
    body: EditUserRequest;
    response: undefined;
  };
  "POST /auth/logout": {
    path: Record<string, never>;
    query: Record<string, never>;
    body: undefined;
    response: undefined;
  };
  "POST /v1/alert-rules/{name}/silence": {
    path: {
      name: string;
    };
    query: Record<string, never>;
    body: SilenceRequest;
    response: undefined;
  };
  "POST /v1/alerts/{alert_id}/acknowledge": {
    path: {
      alert_id: string;
    };
    query: Record<string, never>;
    body: undefined;
    response: undefined;
  };
  "POST /v1/backfills": {
    path: Record<string, never>;
    query: Record<string, never>;
    body: BackfillRequest;
    response: Backfill;
  };
  "POST /v1/backfills/preview": {
    path: Record<string, never>;
    query: Record<string, never>;
    body: BackfillRequest;
    response: BackfillPreview;
  };
  "POST /v1/backfills/{backfill_id}/cancel": {
    path: {
      backfill_id: string;
    };
    query: Record<string, never>;
    body: undefined;
    response: undefined;
  };
  "POST /v1/backfills/{backfill_id}/pause": {
    path: {
      backfill_id: string;
    };
    query: Record<string, never>;
    body: undefined;
    response: undefined;
  };
  "POST /v1/backfills/{backfill_id}/resume": {
    path: {
      backfill_id: string;
    };
    query: Record<string, never>;
    body: undefined;
    response: undefined;
  };
  "POST /v1/bundles": {
    path: Record<string, never>;
    query: Record<string, never>;
    body: undefined;
    response: WholeBundle;
  };
  "POST /v1/dags/{name}/cutover": {
    path: {
      name: string;
    };
    query: Record<string, never>;
    body: CutoverDagRequest | null;
    response: CurrentVersion;
  };
  "POST /v1/dags/{name}/graph": {
    path: {
      name: string;
    };
    query: Record<string, never>;
    body: DagDocumentRequest;
    response: DagGraphResponse;
  };
  "POST /v1/dags/{name}/plan": {
    path: {
      name: string;
    };
    query: Record<string, never>;
    body: PlanDagRequest;
    response: Plan;
  };
  "POST /v1/dags/{name}/rollback": {
    path: {
      name: string;
    };
    query: Record<string, never>;
    body: MoveDagRequest | null;
    response: CurrentVersion;
  };
  "POST /v1/dags/{name}/versions": {
    path: {
      name: string;
    };
    query: Record<string, never>;
    body: DeployDagRequest;
    response: DeployedVersion;
  };
  "POST /v1/datasets/{name}/grant": {
    path: {
      name: string;
    };
    query: Record<string, never>;
    body: RoleRequest;
    response: undefined;
  };
  "POST /v1/datasets/{name}/invalidate": {
    path: {
      name: string;
    };
    query: Record<string, never>;
    body: InvalidateRequest;
    response: Invalidation;
  };
  "POST /v1/datasets/{name}/purge": {
    path: {
      name: string;
    };
    query: Record<string, never>;
    body: PurgeDatasetRequest | null;
    response: PurgeResponse;
  };
  "POST /v1/datasets/{name}/revoke": {
    path: {
      name: string;
    };
    query: Record<string, never>;
    body: RoleRequest;
    response: undefined;
  };
  "POST /v1/destinations/{name}/rotate": {
    path: {
      name: string;
    };
    query: Record<string, never>;
    body: undefined;
    response: DestinationSecretResponse;
  };
  "POST /v1/jobs/{dag}/{name}/pause": {
    path: {
      dag: string;
      name: string;
    };
    query: Record<string, never>;
    body: ReasonRequest | null;
    response: undefined;
  };
  "POST /v1/jobs/{dag}/{name}/resume": {
    path: {
      dag: string;
      name: string;
    };
    query: Record<string, never>;
    body: undefined;
    response: undefined;
  };
  "POST /v1/jobs/{dag}/{name}/trigger": {
    path: {
      dag: string;
      name: string;
    };
    query: Record<string, never>;
    body: TriggerJobRequest | null;
    response: Items_TriggeredTask_;
  };
  "POST /v1/jobs/{dag}/{name}/webhook/rotate": {
    path: {
      dag: string;
      name: string;
    };
    query: Record<string, never>;
    body: undefined;
    response: WebhookResponse;
  };
  "POST /v1/keys": {
    path: Record<string, never>;
    query: Record<string, never>;
    body: CreateKeyRequest;
    response: CreatedKeyResponse;
  };
  "POST /v1/keys/{id}/rotate": {
    path: {
      id: string;
    };
    query: Record<string, never>;
    body: RotateKeyRequest;
    response: CreatedKeyResponse;
  };
  "POST /v1/objects": {
    path: Record<string, never>;
    query: {
      type?: string;
      metadata?: string | null;
      at?: Array<string> | null;
      hard?: boolean;
      persisted?: boolean;
    };
    body: undefined;
    response: ObjectResponse;
  };
  "POST /v1/objects/{object_id}/reference": {
    path: {
      object_id: string;
    };
    query: Record<string, never>;
    body: HolderRequest;
    response: undefined;
  };
  "POST /v1/objects/{object_id}/release": {
    path: {
      object_id: string;
    };
    query: Record<string, never>;
    body: HolderRequest;
    response: ReleasedObject;
  };
  "POST /v1/outbox": {
    path: Record<string, never>;
    query: Record<string, never>;
    body: PublishEffectRequest;
    response: PublishedEffect;
  };
  "POST /v1/outbox/replay": {
    path: Record<string, never>;
    query: Record<string, never>;
    body: ReplayRequest;
    response: ReplayResponse;
  };
  "POST /v1/pools/{name}/machines": {
    path: {
      name: string;
    };
    query: Record<string, never>;
    body: RequestMachinesRequest;
    response: RequestedMachines;
  };
  "POST /v1/query": {
    path: Record<string, never>;
    query: Record<string, never>;
    body: QueryRequest;
    response: QueryResult;
  };
  "POST /v1/queues/{name}/pause": {
    path: {
      name: string;
    };
    query: Record<string, never>;
    body: undefined;
    response: undefined;
  };
  "POST /v1/queues/{name}/purge": {
    path: {
      name: string;
    };
    query: Record<string, never>;
    body: PurgeRequest | null;
    response: PurgePiece;
  };
  "POST /v1/queues/{name}/resume": {
    path: {
      name: string;
    };
    query: Record<string, never>;
    body: undefined;
    response: undefined;
  };
  "POST /v1/roles": {
    path: Record<string, never>;
    query: Record<string, never>;
    body: CreateRoleRequest;
    response: IdResponse;
  };
  "POST /v1/runs": {
    path: Record<string, never>;
    query: Record<string, never>;
    body: StartTaskRequest | StartGraphRequest | OpenRunRequest | Array<StartTaskRequest | StartGraphRequest>;
    response: StartedRun | StartedRuns;
  };
  "POST /v1/runs/bulk": {
    path: Record<string, never>;
    query: Record<string, never>;
    body: Array<StartTaskRequest | StartGraphRequest>;
    response: StartedRuns;
  };
  "POST /v1/runs/cancel": {
    path: Record<string, never>;
    query: Record<string, never>;
    body: CancelRunsRequest;
    response: BulkPiece;
  };
  "POST /v1/runs/delete": {
    path: Record<string, never>;
    query: Record<string, never>;
    body: DeleteRunsRequest;
    response: BulkPiece;
  };
  "POST /v1/runs/retry": {
    path: Record<string, never>;
    query: Record<string, never>;
    body: RetryRunsRequest;
    response: BulkPiece;
  };
  "POST /v1/runs/wait": {
    path: Record<string, never>;
    query: Record<string, never>;
    body: WaitForRunsRequest;
    response: Items_RunResult_;
  };
  "POST /v1/runs/{run_id}/cancel": {
    path: {
      run_id: string;
    };
    query: Record<string, never>;
    body: ReasonRequest | null;
    response: RunResponse | undefined;
  };
  "POST /v1/runs/{run_id}/close": {
    path: {
      run_id: string;
    };
    query: Record<string, never>;
    body: undefined;
    response: undefined;
  };
  "POST /v1/runs/{run_id}/release": {
    path: {
      run_id: string;
    };
    query: Record<string, never>;
    body: undefined;
    response: ReleasedRun;
  };
  "POST /v1/runs/{run_id}/retry": {
    path: {
      run_id: string;
    };
    query: Record<string, never>;
    body: RetryRequest | null;
    response: RunResponse;
  };
  "POST /v1/runs/{run_id}/signals": {
    path: {
      run_id: string;
    };
    query: Record<string, never>;
    body: SignalRequest;
    response: IdResponse;
  };
  "POST /v1/runs/{run_id}/tasks": {
    path: {
      run_id: string;
    };
    query: Record<string, never>;
    body: NamedTaskRequest | AddGraphRequest;
    response: AddedTasks;
  };
  "POST /v1/schedules/{name}/pause": {
    path: {
      name: string;
    };
    query: Record<string, never>;
    body: undefined;
    response: undefined;
  };
  "POST /v1/schedules/{name}/resume": {
    path: {
      name: string;
    };
    query: Record<string, never>;
    body: undefined;
    response: NextRunResponse;
  };
  "POST /v1/schedules/{name}/run": {
    path: {
      name: string;
    };
    query: Record<string, never>;
    body: undefined;
    response: FiredScheduleResponse;
  };
  "POST /v1/tasks/{task_id}/cancel": {
    path: {
      task_id: string;
    };
    query: Record<string, never>;
    body: ReasonRequest | null;
    response: undefined;
  };
  "POST /v1/tasks/{task_id}/retry": {
    path: {
      task_id: string;
    };
    query: Record<string, never>;
    body: RetryRequest | null;
    response: RunResponse;
  };
  "POST /v1/users": {
    path: Record<string, never>;
    query: Record<string, never>;
    body: CreateUserRequest;
    response: IdResponse;
  };
  "POST /v1/webhooks/{org_id}/{webhook_path}": {
    path: {
      org_id: string;
      webhook_path: string;
    };
    query: Record<string, never>;
    body: string;
    response: ReceivedResponse;
  };
  "POST /v1/worker-keys": {
    path: Record<string, never>;
    query: Record<string, never>;
    body: CreateWorkerKeyRequest;
    response: CreatedKeyResponse;
  };
  "POST /v1/worker-keys/{id}/rotate": {
    path: {
      id: string;
    };
    query: Record<string, never>;
    body: RotateKeyRequest;
    response: CreatedKeyResponse;
  };
  "POST /v1/workers/{name}/drain": {
    path: {
      name: string;
    };
    query: Record<string, never>;
    body: ReasonRequest | null;
    response: undefined;
  };
  "POST /v1/workers/{name}/terminate": {
    path: {
      name: string;
    };
    query: Record<string, never>;
    body: undefined;
    response: undefined;
  };
  "PUT /v1/alert-rules/{name}": {
    path: {
      name: string;
    };
    query: Record<string, never>;
    body: PutAlertRuleRequest;
    response: undefined;
  };
  "PUT /v1/destinations/{name}": {
    path: {
      name: string;
    };
    query: Record<string, never>;
    body: PutDestinationRequest;
    response: DestinationSecretResponse;
  };
  "PUT /v1/groups/{name}": {
    path: {
      name: string;
    };
    query: Record<string, never>;
    body: SetGroupRequest;
    response: IdResponse;
  };
  "PUT /v1/limits/{scope}/{key}": {
    path: {
      scope: "key" | "queue";
      key: string;
    };
    query: Record<string, never>;
    body: SetLimitRequest;
    response: undefined;
  };
  "PUT /v1/objects/{object_id}": {
    path: {
      object_id: string;
    };
    query: {
      type?: string;
      metadata?: string | null;
      at?: Array<string> | null;
      hard?: boolean;
      persisted?: boolean;
    };
    body: undefined;
    response: ObjectResponse;
  };
  "PUT /v1/pools/{name}": {
    path: {
      name: string;
    };
    query: Record<string, never>;
    body: SetPoolRequest;
    response: IdResponse;
  };
  "PUT /v1/roles/{name}/members/{user_id}": {
    path: {
      name: string;
      user_id: string;
    };
    query: Record<string, never>;
    body: undefined;
    response: undefined;
  };
  "PUT /v1/runs/{run_id}/data": {
    path: {
      run_id: string;
    };
    query: Record<string, never>;
    body: PutDataRequest;
    response: DataIdsResponse;
  };
  "PUT /v1/schedules/{name}": {
    path: {
      name: string;
    };
    query: Record<string, never>;
    body: PutScheduleRequest;
    response: Schedule;
  };
}
