import { Link } from "@tanstack/react-router";

import { usePreview } from "../../api/datasets";
import { useMay } from "../../api/session";
import { Panel } from "../../ui/Page";
import { ResultTable } from "../../ui/ResultTable";
import { Empty, Loaded } from "../../ui/States";

/** The first rows of a version of the dataset. */
export function Preview({ name, version }: { name: string; version: string | undefined }) {
  if (!useMay("query:read")) return <Empty title="Your role does not allow queries." />;
  return <Rows name={name} version={version} />;
}

function Rows({ name, version }: { name: string; version: string | undefined }) {
  const preview = usePreview(name, version);
  return (
    <Panel
      title="First 50 rows"
      flush
      aside={
        <Link to="/query" search={{ sql: `select * from "${name}" limit 100`, as_of: version }} className="underline">
          open in the query console
        </Link>
      }
    >
      <Loaded read={preview}>{(found) => <ResultTable result={found} />}</Loaded>
    </Panel>
  );
}
