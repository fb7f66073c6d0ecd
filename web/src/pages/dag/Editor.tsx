import { useNavigate } from "@tanstack/react-router";
import { ApiError } from "../../api/client";
import { useDagGraph, useDagPlan, useDeployDag } from "../../api/dags";
import { useDatasetList, useFunctionNames } from "../../api/names";
import type { Plan } from "../../api/schema";
import { useMay } from "../../api/session";
import { Button } from "../../ui/Button";
import { CodeArea } from "../../ui/code/CodeArea";
import { useSqlCompletion } from "../../ui/code/useSqlCompletion";
import { useConfirm } from "../../ui/confirm";
import { Panel } from "../../ui/Page";
import { Failure, Loading } from "../../ui/States";
import { useAct } from "../../ui/toast";
import { useLater } from "../../ui/useLater";
import { Changes } from "./Changes";
import { JobGraph } from "./DagGraph";
import { useDraft } from "./editor/draft";
import { completeYaml } from "./editor/yamlCompletion";

const PAUSE_MS = 500;

/** A DAG document with its problems, its graph and its plan, all as it is typed; and the deploy. */
export function Editor({ text, name }: { text: string; name?: string }) {
  const [yaml, setYaml] = useDraft(name, text);
  const checked = useLater(yaml, PAUSE_MS);
  const dag = name ?? nameOf(checked);
  const plan = useDagPlan(dag, checked);
  const graph = useDagGraph(dag, plan.error === null ? checked : "");
  const problems = problemsOf(plan.error);
  const datasets = useDatasetList();
  const functions = useFunctionNames();
  const complete = completeYaml(
    { datasets: datasets.map((dataset) => dataset.name), functions },
    useSqlCompletion(checked),
  );
  return (
    <div className="grid items-start gap-4 xl:grid-cols-2">
      <Panel
        title={yaml === text ? "Document" : "Document, changed"}
        aside={
          <span className="flex gap-2">
            {yaml !== text && <Button onClick={() => setYaml(text)}>Discard changes</Button>}
            <DeployButton
              dag={dag}
              yaml={yaml}
              plan={yaml === checked ? plan.data : undefined}
              deployed={() => setYaml(text)}
            />
          </span>
        }
      >
        <CodeArea
          label="YAML of the DAG"
          text={yaml}
          onChange={setYaml}
          rows={24}
          complete={complete}
          marked={new Set(problems.map((problem) => problem.line))}
        />
      </Panel>
      <div className="flex min-w-0 flex-col gap-4">
        <Panel title="Plan" aside="what a deploy would do">
          {plan.error !== null ? (
            <Problems error={plan.error} problems={problems} />
          ) : plan.data === undefined ? (
            <Loading />
          ) : (
            <Changes changes={plan.data} />
          )}
        </Panel>
        {graph.data !== undefined && plan.error === null && (
          <Panel title="Graph" flush>
            <JobGraph key={checked} jobs={graph.data.jobs} className="h-72" />
          </Panel>
        )}
      </div>
    </div>
  );
}

interface DocumentProblem {
  line: number;
  where: string;
  what: string;
}

function problemsOf(error: Error | null): DocumentProblem[] {
  if (!(error instanceof ApiError)) return [];
  return error.errors.map((problem) => ({
    line: Number(problem.line ?? 0),
    where: String(problem.where ?? ""),
    what: String(problem.what ?? ""),
  }));
}

function Problems({ error, problems }: { error: Error; problems: DocumentProblem[] }) {
  if (problems.length === 0) return <Failure error={error} />;
  return (
    <div role="alert">
      <ul className="flex flex-col gap-2 text-sm">
        {problems.map((problem) => (
          <li key={`${problem.line} ${problem.where} ${problem.what}`} className="flex gap-3">
            <span className="w-16 shrink-0 text-bad">line {problem.line}</span>
            <span className="min-w-0 [overflow-wrap:anywhere]">
              <span className="font-mono text-xs">{problem.where}</span> {problem.what}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

interface DeployProps {
  dag: string;
  yaml: string;
  plan: Plan | undefined;
  deployed: () => void;
}

function DeployButton({ dag, yaml, plan, deployed }: DeployProps) {
  const deploy = useDeployDag();
  const confirm = useConfirm();
  const act = useAct();
  const navigate = useNavigate();
  if (!useMay("dags:write")) return null;
  const ask = async () => {
    if (plan === undefined) return;
    const rebuilt = plan.rebuilds.map((rebuild) => rebuild.job);
    const agreed = await confirm({
      title: `Deploy a version of ${dag}?`,
      happens:
        rebuilt.length === 0
          ? "The version is stored. Nothing has to be computed."
          : `The version is stored, and these jobs are computed beside the current version: ${rebuilt.join(", ")}.`,
      undo: "Readers see no change before you cut over to the version. You need not use it.",
      action: "Deploy the version",
    });
    if (!agreed) return;
    await act(async () => {
      await deploy.mutateAsync({ path: { name: dag }, body: { yaml } });
      deployed();
      await navigate({ to: "/dags/$name", params: { name: dag }, search: { tab: "versions" } });
    }, `A version of ${dag} is deployed.`);
  };
  const refused = plan === undefined || plan.denied.length > 0;
  return (
    <Button kind="primary" disabled={refused} busy={deploy.isPending} onClick={() => void ask()}>
      Deploy
    </Button>
  );
}

function nameOf(yaml: string): string {
  return /^name:\s*["']?([\w.-]+)/m.exec(yaml)?.[1] ?? "unnamed";
}
