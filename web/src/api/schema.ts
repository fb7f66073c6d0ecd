// Generated from the OpenAPI document by `make gen`; do not edit.

export type Activation = "source" | "reactive";

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

export interface ActivityRateItems {
  items: Array<ActivityRate>;
}

export type ActorKind = "user" | "api_key" | "worker_key" | "task" | "operator" | "system" | "login";

export interface AddGraphRequest {
  graph: GraphSpec;
  delay?: number | string | null;
  available_at?: string | null;
  strict?: boolean;
}

export interface AddedTasks {
  ids: Array<string>;
}

export interface AffectedReader {
  dag: string;
  job: string;
  dataset: string;
  effect: ReaderEffect;
}

export interface Alert {
  id: string;
  rule: string;
  key: string;
  status: AlertStatus;
  summary: string;
  details: unknown;
  evaluations: number;
  first_at: string;
  last_at: string;
  acknowledged_by: string | null;
  acknowledged_at: string | null;
  resolved_at: string | null;
}

export type AlertKind = "job_failures" | "dataset_age" | "dead_effects" | "no_worker" | "pool_trouble" | "job_alerts";

export interface AlertPage {
  items: Array<Alert>;
  next: string | null;
}

export interface AlertRule {
  name: string;
  kind: AlertKind;
  target: string | null;
  threshold: number;
  seconds: number;
  destination: string | null;
  silenced_until: string | null;
  created_by: string;
  created_at: string;
}

export interface AlertRulePage {
  items: Array<AlertRule>;
  next: string | null;
}

export type AlertStatus = "firing" | "acknowledged" | "resolved";

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

export interface ApiKeyInfoPage {
  items: Array<ApiKeyInfo>;
  next: string | null;
}

export interface AttemptInfo {
  attempt: number;
  outcome: AttemptOutcome;
  worker_id: string | null;
  queued_at: string | null;
  started_at: string | null;
  ended_at: string | null;
  duration_seconds: number | null;
  reported: boolean;
  error: unknown;
}

export interface AttemptInfoItems {
  items: Array<AttemptInfo>;
}

export type AttemptOutcome = "running" | "completed" | "failed" | "cancelled" | "skipped" | "retrying" | "lost" | "snoozed" | "waiting" | "blocked" | "interrupted" | "forgotten";

export interface AuditEntry {
  id: string;
  created_at: string;
  entity: string;
  entity_id: string;
  action: string;
  changes: Record<string, JsonObject>;
  actor_kind: ActorKind;
  actor_id: string;
  actor_name: string | null;
  ip: string | null;
  user_agent: string | null;
  request_id: string | null;
  seq: number | null;
}

export interface AuditEntryPage {
  items: Array<AuditEntry>;
  next: string | null;
}

export interface AwaitedSignal {
  name: string;
  expects: string | null;
  schema: JsonObject | null;
  task_id: string;
  since: string;
  until: string | null;
}

export interface AwaitedSignalItems {
  items: Array<AwaitedSignal>;
}

export interface Backfill {
  id: string;
  dataset: string;
  dag: string;
  job: string | null;
  first: string | null;
  last: string | null;
  partitions: Array<string> | null;
  reprocess: Reprocess;
  downstream: Downstream;
  concurrency: number;
  descending: boolean;
  reason: string | null;
  created_by: string;
  status: BackfillStatus;
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

export interface BackfillPage {
  items: Array<Backfill>;
  next: string | null;
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
  reprocess?: Reprocess;
  downstream?: Downstream;
  concurrency?: number;
  descending?: boolean;
  reason?: string | null;
}

export type BackfillStatus = "running" | "paused" | "cancelling" | "completed" | "failed" | "cancelled";

export interface BackfillTask {
  task_id: string;
  job: string | null;
  partition: string | null;
  direct: boolean;
  failed: boolean;
  error: string | null;
}

export interface BackfillTaskPage {
  items: Array<BackfillTask>;
  next: string | null;
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

export type CatchUp = "skip" | "one" | "all";

export type ChangeKind = "run" | "task" | "worker";

export interface ChangeResponse {
  kind: ChangeKind;
  id: string;
  run_id: string | null;
  status: ChangeStatus;
  at: string;
}

export type ChangeStatus = "pending" | "completed" | "failed" | "cancelled" | "skipped" | "retrying" | "lost" | "snoozed" | "waiting" | "blocked" | "interrupted" | "forgotten" | "active" | "draining" | "terminated";

export interface ChangesResponse {
  items: Array<ChangeResponse>;
  next: string;
}

export interface Count {
  count: number;
  exact: boolean;
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
  platform_role?: PlatformRole | null;
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
  status: DagVersionStatus;
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

export interface CursorPage {
  items: Array<Cursor>;
  next: string | null;
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
  newest_status: DagVersionStatus;
  updated_at: string;
}

export interface DagSummaryPage {
  items: Array<DagSummary>;
  next: string | null;
}

export interface DagVersion {
  dag: string;
  version: number;
  yaml_hash: string;
  status: DagVersionStatus;
  jobs: number;
  created_by: string;
  created_at: string;
  completed: number | null;
  planned: number | null;
  error: string | null;
}

export interface DagVersionPage {
  items: Array<DagVersion>;
  next: string | null;
}

export type DagVersionStatus = "staged" | "building" | "ready" | "current" | "superseded" | "failed";

export interface DagVersionText {
  dag: string;
  version: number;
  yaml_hash: string;
  status: DagVersionStatus;
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
  kind: DatasetChangeKind;
  job: string;
  output: number;
  renamed_from: string | null;
}

export type DatasetChangeKind = "added" | "removed" | "renamed" | "rebuilt" | "reused" | "moved";

export interface DatasetPage {
  items: Array<Dataset>;
  next: string | null;
}

export interface DatasetVersion {
  id: string;
  dataset: string;
  config_hash: string;
  schema_hash: string | null;
  storage: JsonObject;
  storage_location: string;
  is_current: boolean;
  dag_versions: Array<number>;
  created_at: string;
  purged_at: string | null;
}

export interface DatasetVersionPage {
  items: Array<DatasetVersion>;
  next: string | null;
}

export interface DeleteRunsRequest {
  before?: string | null;
  limit?: number;
  dry_run?: boolean;
  type?: string | null;
  name?: string | null;
  since?: string | null;
  status?: EndName | null;
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

export type DeployAction = "deploy" | "cutover" | "rollback" | "delete";

export interface DeployDagRequest {
  yaml: string;
  functions?: Array<string> | null;
  cutover?: boolean;
}

export interface DeployEntry {
  id: string;
  dag: string;
  action: DeployAction;
  from_version: number | null;
  to_version: number | null;
  plan: JsonObject | null;
  created_by: string;
  created_at: string;
}

export interface DeployEntryPage {
  items: Array<DeployEntry>;
  next: string | null;
}

export interface DeployedVersion {
  dag: string;
  version: number;
  yaml_hash: string;
  status: DagVersionStatus;
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

export interface DestinationPage {
  items: Array<Destination>;
  next: string | null;
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
  status: DispatcherStatusName;
}

export interface DispatcherInfoItems {
  items: Array<DispatcherInfo>;
}

export type DispatcherStatusName = "active" | "dead";

export type Downstream = "none" | "same" | "all";

export interface EditOrgRequest {
  name?: string | null;
  settings?: JsonObject | null;
}

export interface EditTagsRequest {
  add?: Array<string> | null;
  remove?: Array<string> | null;
}

export interface EditUserRequest {
  platform_role?: PlatformRole | null;
  disabled?: boolean | null;
}

export type EffectKind = "route_event" | "emit_lineage" | "deliver" | "enqueue_task" | "delete_data" | "sink" | "raise_alerts";

export type EffectStatus = "pending" | "processing" | "done" | "dead";

export interface EffectSummary {
  id: number;
  kind: EffectKind;
  payload: unknown;
  status: EffectStatus;
  attempts: number;
  available_at: string;
  last_error: string | null;
  created_at: string;
  processed_at: string | null;
  destination: string;
  key: string | null;
}

export interface EffectSummaryPage {
  items: Array<EffectSummary>;
  next: string | null;
}

export type EndName = "completed" | "failed" | "cancelled";

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
  data: JsonObject | null;
  created_at: string;
}

export interface EventPage {
  items: Array<Event>;
  next: string | null;
}

export interface ExplanationResponse {
  why: string;
}

export interface ExportQueryRequest {
  sql: string;
  as_of?: string | null;
  max_rows?: number;
  format: "csv" | "arrow";
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
  metadata?: JsonObject | null;
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
  input?: JsonObject | Array<unknown> | string | boolean | number;
  map?: Array<unknown> | null;
  after?: Array<string | GraphEdge>;
  handler?: EndName | null;
  output_count?: number | null;
}

export interface GraphSpec {
  name?: string | null;
  tasks: Record<string, GraphNode>;
  outputs?: Array<OutputRef> | null;
}

export interface HealthResponse {
  status: "ok";
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
  row_filter?: JsonObject | null;
}

export interface Invalidation {
  id: string;
  dataset: string;
  first: string | null;
  last: string | null;
  partitions: Array<string> | null;
  row_filter: JsonObject | null;
  reason: string;
  created_by: string;
  status: InvalidationStatus;
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

export interface InvalidationPage {
  items: Array<Invalidation>;
  next: string | null;
}

export type InvalidationStatus = "running" | "completed" | "failed";

export interface JobChange {
  job: string;
  kind: JobChangeKind;
  fields: Array<string>;
  because_of: Array<string>;
  renamed_from: string | null;
}

export type JobChangeKind = "added" | "removed" | "data" | "metadata" | "renamed";

export interface JobNode {
  name: string;
  activation: Activation;
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
  activation: Activation;
  runtime: string;
  operator: string;
  config_hash: string;
  paused_at: string | null;
  pause_reason: string | null;
  held_at: string | null;
}

export interface JobSummaryPage {
  items: Array<JobSummary>;
  next: string | null;
}

export type JsonObject = Record<string, unknown>;

export type LimitScope = "key" | "queue" | "rate";

export interface LimitSpec {
  scope: LimitScope;
  key: string;
  size: number;
  seconds?: number | null;
}

export interface LimitStatus {
  scope: LimitScope;
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

export interface LimitStatusPage {
  items: Array<LimitStatus>;
  next: string | null;
}

export type LineageConfidence = "exact" | "stated" | "table";

export interface LineageEdge {
  from: string;
  to: string;
  kind: LineageKind;
  subtype: string | null;
  method: LineageMethodName;
  confidence: LineageConfidence;
  stale: boolean;
}

export interface LineageGraph {
  root: string | null;
  nodes: Array<LineageNode>;
  edges: Array<LineageEdge>;
  truncated: boolean;
}

export type LineageKind = "direct" | "indirect";

export type LineageMethodName = "sql" | "declared" | "reported" | "inputs";

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

export interface LogLineItems {
  items: Array<LogLine>;
}

export interface MeResponse {
  kind: PrincipalKind;
  id: string;
  org_id: string;
  name: string | null;
  platform_role: PlatformRole | null;
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

export interface MemberPage {
  items: Array<Member>;
  next: string | null;
}

export interface MissingPartition {
  partition: string | null;
  input: string;
  input_partition: string | null;
  state: MissingState;
  reason: string;
  task_id: string | null;
  is_fixable: boolean;
}

export type MissingState = "open" | "waiting" | "paused" | "failed" | "filtered" | "unpublished" | "not_started";

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
  metadata?: JsonObject | null;
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
  input?: JsonObject | Array<unknown> | string | boolean | number;
  strict?: boolean;
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

export interface ObjectSummaryPage {
  items: Array<ObjectSummary>;
  next: string | null;
}

export interface OpenRunRequest {
  open: true;
  id?: string | null;
  name?: string | null;
  input?: unknown;
  metadata?: JsonObject | null;
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
  settings: JsonObject;
  created_at: string;
}

export interface OrgPage {
  items: Array<Org>;
  next: string | null;
}

export interface OrgRole {
  id: string;
  name: string;
  description: string | null;
  members: number;
  created_at: string;
  display_name: string;
}

export interface OrgRolePage {
  items: Array<OrgRole>;
  next: string | null;
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
  checks: Array<JsonObject>;
  input_versions: Array<JsonObject>;
  committed_at: string;
}

export interface PartitionPage {
  items: Array<Partition>;
  next: string | null;
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

export type PlatformRole = "reader" | "writer" | "admin";

export interface PoolMachine {
  id: string;
  status: WorkerStatusName;
  provider_id: string | null;
  running: number;
  idle_seconds: number | null;
  created_at: string;
  has_registered: boolean;
  external: boolean;
  error: string | null;
}

export interface PoolMachineItems {
  items: Array<PoolMachine>;
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
  settings: JsonObject;
  tiers: Array<JsonObject>;
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

export interface PoolStatusPage {
  items: Array<PoolStatus>;
  next: string | null;
}

export type PrincipalKind = "user" | "api_key";

export interface Problem {
  type: string;
  title: string;
  status: number;
  code: ProblemCode;
  detail: string;
  request_id: string;
  hint: string | null;
  errors: Array<Record<string, string | number>> | null;
  more_errors: number | null;
}

export type ProblemCode = "not_found" | "session_ended" | "invalid_input" | "conflict" | "stale_lease" | "cancelled" | "too_large" | "unauthorized" | "forbidden" | "rate_limited" | "wrong_isolation" | "copied_database" | "bad_request" | "method_not_allowed" | "unsupported_media_type" | "timeout" | "unavailable" | "row_rejected" | "internal";

export interface PublishEffectRequest {
  kind: "deliver";
  payload: JsonObject;
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
  kind: AlertKind;
  target?: string | null;
  threshold?: number;
  seconds?: number;
  destination?: string | null;
}

export interface PutDataRequest {
  values: Record<string, unknown>;
  tags?: Array<string> | null;
  metadata?: JsonObject | null;
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
  metadata?: JsonObject | null;
  timeout?: number | string | null;
  heartbeat_timeout?: number | string | null;
  backoff?: number | string | null;
  max_attempts?: number | null;
  max_losses?: number | null;
  optional?: boolean | null;
  limits?: Array<LimitSpec> | null;
  input?: JsonObject | Array<unknown>;
  cron: string;
  timezone?: string;
  catch_up?: CatchUp;
  jitter?: number | string;
}

export interface QueryColumn {
  name: string;
  type: string;
}

export interface QueryRequest {
  sql: string;
  as_of?: string | null;
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

export interface QueueStatusItems {
  items: Array<QueueStatus>;
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
  reaction: ReactionName;
  reason: string | null;
  task_id: string | null;
  created_at: string;
}

export type ReactionName = "triggered" | "deduped" | "filtered" | "paused" | "stale";

export interface ReactionPage {
  items: Array<Reaction>;
  next: string | null;
}

export type ReaderEffect = "updated" | "removed";

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

export type Reprocess = "none" | "failed" | "all";

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

export interface ResourceGroupPage {
  items: Array<ResourceGroup>;
  next: string | null;
}

export type ResultKind = "run" | "task" | "type" | "worker" | "dataset" | "dag" | "queue" | "schedule";

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
  status?: EndName | null;
  reuse?: boolean;
}

export interface RoleRequest {
  role: string;
}

export interface RotateKeyRequest {
  overlap_seconds?: number;
}

export type RunAction = "cancel" | "retry" | "delete";

export interface RunAttempt {
  task_id: string;
  name: string | null;
  type: string;
  attempt: number;
  outcome: AttemptOutcome;
  worker_id: string | null;
  queued_at: string | null;
  started_at: string | null;
  ended_at: string | null;
}

export interface RunAttemptItems {
  items: Array<RunAttempt>;
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
  metadata: JsonObject | null;
  updated_at: string;
}

export interface RunDataItemItems {
  items: Array<RunDataItem>;
}

export interface RunExplanation {
  id: string;
  status: RunStatusName;
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
  status: TaskStatusName;
  attempt: number;
  optional: boolean;
  handler: EndName | null;
  started_at: string | null;
  completed_at: string | null;
  depends_on: Array<string>;
}

export interface RunGraphNodeItems {
  items: Array<RunGraphNode>;
}

export interface RunInput {
  position: number;
  task_id: string;
  name: string | null;
  type: string;
  input: unknown;
  input_bytes: number | null;
}

export interface RunInputPage {
  items: Array<RunInput>;
  next: string | null;
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

export interface RunLogLineItems {
  items: Array<RunLogLine>;
}

export interface RunProgress {
  action: RunAction;
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
  status: RunStatusName;
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
  status: RunStatusName;
  output: unknown;
  error: unknown;
  output_omitted: boolean;
}

export interface RunResultItems {
  items: Array<RunResult>;
}

export type RunStatusName = "pending" | "running" | "retrying" | "completed" | "failed" | "cancelled";

export interface RunSummary {
  id: string;
  name: string | null;
  type: string | null;
  status: RunStatusName;
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

export interface RunSummaryCountedPage {
  items: Array<RunSummary>;
  next: string | null;
  total: Count | null;
}

export interface ScalingDecision {
  id: string;
  decided_at: string;
  workers: number;
  wanted: number;
  reason: string;
  facts: JsonObject;
}

export interface ScalingDecisionPage {
  items: Array<ScalingDecision>;
  next: string | null;
}

export interface Schedule {
  org_id: string;
  name: string;
  kind: JsonObject;
  input: unknown;
  details: JsonObject | null;
  cron: string;
  timezone: string;
  catch_up: CatchUp;
  jitter_seconds: number;
  paused_at: string | null;
  next_at: string | null;
  last_at: string | null;
  created_at: string;
}

export interface SchedulePage {
  items: Array<Schedule>;
  next: string | null;
}

export interface SearchResult {
  kind: ResultKind;
  id: string | null;
  name: string;
  about: string;
}

export interface SearchResultItems {
  items: Array<SearchResult>;
}

export type SessionEnd = "closed" | "expired" | "replaced" | "terminated" | "failed";

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
  settings?: JsonObject | null;
  tiers?: Array<JsonObject> | null;
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
  public_key: JsonObject | null;
}

export interface SignedHeadResponsePage {
  items: Array<SignedHeadResponse>;
  next: string | null;
}

export interface SilenceRequest {
  seconds: number;
}

export type SourceKind = "cron" | "webhook" | "continuous" | "always_on" | "manual" | "buffer";

export interface SourceState {
  dag: string;
  job: string;
  kind: SourceKind;
  status: SourceStatus;
  task_id: string | null;
  next_at: string | null;
  last_at: string | null;
  streams: Array<JsonObject>;
}

export type SourceStatus = "active" | "stopped" | "pending" | "running" | "draining" | "dead";

export interface StartGraphRequest {
  id?: string | null;
  dedupe_key?: string | null;
  resource_group?: string | null;
  run_attempts?: number | null;
  deadline?: number | string | null;
  expires?: number | string | null;
  hold?: boolean | null;
  graph: GraphSpec;
  delay?: number | string | null;
  available_at?: string | null;
  strict?: boolean;
  metadata?: JsonObject | null;
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
  type: string;
  inherit?: boolean;
  language?: string | null;
  priority?: number | null;
  queue?: string | null;
  labels?: Array<string> | null;
  metadata?: JsonObject | null;
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
  input?: JsonObject | Array<unknown> | string | boolean | number;
  strict?: boolean;
}

export interface StartedRun {
  id: string;
  status: RunStatusName;
  created: boolean;
}

export interface StartedRuns {
  items: Array<StartedRun>;
}

export interface StepInfo {
  step_no: number;
  name: string;
  kind: StepKind;
  value: unknown;
  value_bytes: number | null;
  error: unknown;
  tries: number;
  retry_at: string | null;
  created_at: string;
}

export type StepKind = "step" | "child" | "sleep" | "signal" | "patch";

export interface StoredBundle {
  id: string;
  sha256: string;
  name: string;
  size: number;
  types: Array<string>;
  created_by: string;
  created_at: string;
}

export interface StoredBundlePage {
  items: Array<StoredBundle>;
  next: string | null;
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
  awaited: Array<AwaitedSignal>;
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
  status: TaskStatusName;
  attempt: number;
  failures: number;
  losses: number;
  max_attempts: number;
  max_losses: number | null;
  run_attempt: number;
  optional: boolean;
  handler: EndName | null;
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
  waits_for: WaitReason | null;
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
  input_versions: Array<JsonObject> | null;
}

export type TaskStatusName = "pending" | "queued" | "running" | "waiting" | "retrying" | "completed" | "failed" | "cancelled" | "skipped";

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
  status: TaskStatusName;
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

export interface TaskSummaryCountedPage {
  items: Array<TaskSummary>;
  next: string | null;
  total: Count | null;
}

export interface TaskType {
  type: string;
  kind: JsonObject;
  limits: unknown;
  declared_by: string | null;
  declared_at: string | null;
  bundle: string | null;
  input_schema: JsonObject | null;
  schema_problem: string | null;
}

export interface TaskTypeSummary {
  type: string;
  kind: JsonObject;
  limits: unknown;
  declared_by: string | null;
  declared_at: string | null;
  bundle: string | null;
}

export interface TaskTypeSummaryPage {
  items: Array<TaskTypeSummary>;
  next: string | null;
}

export interface TreeNode {
  id: string;
  parent_id: string | null;
  depth: number;
  name: string | null;
  type: string;
  status: TaskStatusName;
  attempt: number;
  completed_at: string | null;
}

export interface TreeNodeItems {
  items: Array<TreeNode>;
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

export interface TriggeredTaskItems {
  items: Array<TriggeredTask>;
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

export interface TypeActivityItems {
  items: Array<TypeActivity>;
}

export interface UpdateKeyRequest {
  name?: string | null;
  active?: boolean | null;
  expires_at?: string | null;
}

export interface UpdateRequest {
  reason?: string | null;
  status?: "cancelled" | null;
  metadata?: JsonObject | null;
}

export interface UpdateScheduleRequest {
  cron?: string | null;
  timezone?: string | null;
  catch_up?: CatchUp | null;
  jitter?: number | string | null;
  input?: JsonObject | Array<unknown> | null;
  metadata?: JsonObject | null;
}

export interface User {
  id: string;
  issuer: string;
  subject: string;
  email: string | null;
  name: string | null;
  platform_role: PlatformRole;
  roles: Array<string>;
  created_at: string;
  disabled_at: string | null;
}

export interface UserPage {
  items: Array<User>;
  next: string | null;
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

export type WaitReason = "children" | "signal" | "time" | "limit" | "code";

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
  manifest: JsonObject;
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
  storage: JsonObject | null;
  buffered: JsonObject | null;
}

export interface WholeJob {
  dag: string;
  name: string;
  job_key: string;
  version: number;
  activation: Activation;
  runtime: string;
  operator: string;
  config_hash: string;
  metadata_hash: string;
  definition: JsonObject;
  paused_at: string | null;
  pause_reason: string | null;
  held_at: string | null;
  hold_reason: string | null;
  backlog: JsonObject | null;
  problem: string | null;
}

export type WorkerHealth = "healthy" | "stuck_task" | "stale_heartbeat" | "no_heartbeat" | "dead";

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

export interface WorkerKeyInfoPage {
  items: Array<WorkerKeyInfo>;
  next: string | null;
}

export interface WorkerLife {
  session_id: number;
  started_at: string;
  ended_at: string | null;
  end_reason: SessionEnd | null;
  lease_expires_at: string | null;
  lease_seconds: number;
  queues: Array<string> | null;
  running: number;
}

export interface WorkerLifePage {
  items: Array<WorkerLife>;
  next: string | null;
}

export interface WorkerLogEntry {
  line_no: number;
  logged_at: string;
  level: string;
  message: string;
}

export interface WorkerLogEntryItems {
  items: Array<WorkerLogEntry>;
}

export interface WorkerStatus {
  id: string;
  status: WorkerStatusName;
  instance_type: string;
  address: string | null;
  labels: Array<string>;
  languages: Array<string>;
  metadata: JsonObject;
  running: number;
  created_at: string;
  last_heartbeat: string | null;
  lease_expires_at: string | null;
  drained_at: string | null;
  drain_reason: string | null;
  error: string | null;
  terminated_at: string | null;
  health_status: WorkerHealth | null;
  stuck_tasks: number;
  current_task_id: string | null;
  current_task_type: string | null;
  task_runtime_seconds: number | null;
  error_at: string | null;
}

export type WorkerStatusName = "starting" | "active" | "draining" | "error" | "terminated";

export interface WorkerStatusPage {
  items: Array<WorkerStatus>;
  next: string | null;
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
    response: TypeActivityItems;
  };
  "GET /v1/alert-rules": {
    path: Record<string, never>;
    query: {
      limit?: number;
      after?: string | null;
    };
    body: undefined;
    response: AlertRulePage;
  };
  "GET /v1/alerts": {
    path: Record<string, never>;
    query: {
      limit?: number;
      status?: AlertStatus | null;
      before?: string | null;
    };
    body: undefined;
    response: AlertPage;
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
    response: AuditEntryPage;
  };
  "GET /v1/audit/heads": {
    path: Record<string, never>;
    query: {
      limit?: number;
      before?: number | null;
    };
    body: undefined;
    response: SignedHeadResponsePage;
  };
  "GET /v1/backfills": {
    path: Record<string, never>;
    query: {
      limit?: number;
      dataset?: string | null;
      status?: BackfillStatus | null;
      before?: string | null;
    };
    body: undefined;
    response: BackfillPage;
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
    response: BackfillTaskPage;
  };
  "GET /v1/bundles": {
    path: Record<string, never>;
    query: {
      limit?: number;
      before?: string | null;
    };
    body: undefined;
    response: StoredBundlePage;
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
    response: DagSummaryPage;
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
    response: DeployEntryPage;
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
    response: DagVersionPage;
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
    response: DatasetPage;
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
    response: CursorPage;
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
    response: PartitionPage;
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
    response: DatasetVersionPage;
  };
  "GET /v1/destinations": {
    path: Record<string, never>;
    query: {
      limit?: number;
      after?: string | null;
    };
    body: undefined;
    response: DestinationPage;
  };
  "GET /v1/dispatchers": {
    path: Record<string, never>;
    query: Record<string, never>;
    body: undefined;
    response: DispatcherInfoItems;
  };
  "GET /v1/events": {
    path: Record<string, never>;
    query: {
      limit?: number;
      dataset?: string | null;
      before?: string | null;
    };
    body: undefined;
    response: EventPage;
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
    response: ReactionPage;
  };
  "GET /v1/groups": {
    path: Record<string, never>;
    query: {
      limit?: number;
      after?: string | null;
    };
    body: undefined;
    response: ResourceGroupPage;
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
    response: InvalidationPage;
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
    response: JobSummaryPage;
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
    response: ReactionPage;
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
    response: ApiKeyInfoPage;
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
      scope?: LimitScope | null;
      after?: string | null;
    };
    body: undefined;
    response: LimitStatusPage;
  };
  "GET /v1/limits/{scope}/{key}": {
    path: {
      scope: LimitScope;
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
    response: ObjectSummaryPage;
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
      after?: string | null;
    };
    body: undefined;
    response: OrgPage;
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
      status?: EffectStatus | null;
      kind?: string | null;
      before?: number | null;
    };
    body: undefined;
    response: EffectSummaryPage;
  };
  "GET /v1/pools": {
    path: Record<string, never>;
    query: {
      limit?: number;
      after?: string | null;
    };
    body: undefined;
    response: PoolStatusPage;
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
    response: ScalingDecisionPage;
  };
  "GET /v1/pools/{name}/machines": {
    path: {
      name: string;
    };
    query: Record<string, never>;
    body: undefined;
    response: PoolMachineItems;
  };
  "GET /v1/queues": {
    path: Record<string, never>;
    query: Record<string, never>;
    body: undefined;
    response: QueueStatusItems;
  };
  "GET /v1/rates": {
    path: Record<string, never>;
    query: {
      period?: "minute" | "hour" | "day";
      limit?: number;
      type?: string | null;
    };
    body: undefined;
    response: ActivityRateItems;
  };
  "GET /v1/roles": {
    path: Record<string, never>;
    query: {
      limit?: number;
      after?: string | null;
    };
    body: undefined;
    response: OrgRolePage;
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
    response: MemberPage;
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
      status?: Array<RunStatusName> | null;
      name?: string | null;
      type?: string | null;
      dedupe_key?: string | null;
    };
    body: undefined;
    response: RunSummaryCountedPage;
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
    response: RunAttemptItems;
  };
  "GET /v1/runs/{run_id}/awaited-signals": {
    path: {
      run_id: string;
    };
    query: Record<string, never>;
    body: undefined;
    response: AwaitedSignalItems;
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
    response: RunDataItemItems;
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
    response: RunGraphNodeItems;
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
    response: RunInputPage;
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
    response: RunLogLineItems;
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
      status?: Array<TaskStatusName> | null;
      queue?: string | null;
      type?: string | null;
      job?: string | null;
    };
    body: undefined;
    response: TaskSummaryCountedPage;
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
    response: SchedulePage;
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
    response: SearchResultItems;
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
      status?: Array<TaskStatusName> | null;
      queue?: string | null;
      type?: string | null;
      job?: string | null;
      run_id?: string | null;
      external_id?: string | null;
    };
    body: undefined;
    response: TaskSummaryCountedPage;
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
    response: AttemptInfoItems;
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
    response: LogLineItems;
  };
  "GET /v1/tasks/{task_id}/tree": {
    path: {
      task_id: string;
    };
    query: Record<string, never>;
    body: undefined;
    response: TreeNodeItems;
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
    response: TaskTypeSummaryPage;
  };
  "GET /v1/types/{type}": {
    path: {
      type: string;
    };
    query: Record<string, never>;
    body: undefined;
    response: TaskType;
  };
  "GET /v1/users": {
    path: Record<string, never>;
    query: {
      limit?: number;
      before?: string | null;
      name?: string | null;
    };
    body: undefined;
    response: UserPage;
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
    response: WorkerKeyInfoPage;
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
      status?: WorkerStatusName | null;
    };
    body: undefined;
    response: WorkerStatusPage;
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
    response: WorkerLifePage;
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
    response: WorkerLogEntryItems;
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
    body: CutoverDagRequest;
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
    body: MoveDagRequest;
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
    body: PurgeDatasetRequest;
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
    body: ReasonRequest;
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
    body: TriggerJobRequest;
    response: TriggeredTaskItems;
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
  "POST /v1/query/export": {
    path: Record<string, never>;
    query: Record<string, never>;
    body: ExportQueryRequest;
    response: undefined;
  };
  "POST /v1/queues/{name}/pause": {
    path: {
      name: string;
    };
    query: {
      new?: boolean;
    };
    body: undefined;
    response: undefined;
  };
  "POST /v1/queues/{name}/purge": {
    path: {
      name: string;
    };
    query: Record<string, never>;
    body: PurgeRequest;
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
    body: StartTaskRequest | StartGraphRequest | OpenRunRequest;
    response: StartedRun;
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
    response: RunResultItems;
  };
  "POST /v1/runs/{run_id}/cancel": {
    path: {
      run_id: string;
    };
    query: Record<string, never>;
    body: ReasonRequest;
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
    body: RetryRequest;
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
    body: ReasonRequest;
    response: undefined;
  };
  "POST /v1/tasks/{task_id}/retry": {
    path: {
      task_id: string;
    };
    query: Record<string, never>;
    body: RetryRequest;
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
    body: unknown;
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
    body: ReasonRequest;
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
