import { Page } from "../../ui/Page";
import { Editor } from "../dag/Editor";

const EXAMPLE = `version: 1
name: hello
jobs:
  - name: numbers
    activation: source
    source: {kind: cron, schedule: "0 3 * * *"}
    operator: sql
    config:
      sql: select 1 as id, 'one' as word
    outputs:
      - dataset: numbers
        columns:
          - {name: id, type: INTEGER, not_null: true}
          - {name: word, type: VARCHAR}
`;

/** Writes the first version of a DAG. */
export function NewDagPage() {
  return (
    <Page title="Write a DAG" about="The name in the document is the name of the DAG.">
      <Editor text={EXAMPLE} />
    </Page>
  );
}
