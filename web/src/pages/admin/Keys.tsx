import { useState, type SubmitEvent } from "react";

import { useCreateKey, useKeysList, useRevokeKey } from "../../api/admin";
import type { ApiKeyInfo } from "../../api/schema";
import { Button } from "../../ui/Button";
import { useConfirm } from "../../ui/confirm";
import { Copy } from "../../ui/Copy";
import { DataTable, type Column } from "../../ui/DataTable";
import { Dialog } from "../../ui/Dialog";
import { Panel } from "../../ui/Page";
import { Empty, Loaded } from "../../ui/States";
import { StatusBadge } from "../../ui/Status";
import { Time } from "../../ui/Time";
import { useAct, useToast } from "../../ui/toast";

const FIELD = "h-9 w-full rounded-md border border-line bg-panel px-2 text-sm";

const COLUMNS: Column<ApiKeyInfo>[] = [
  { name: "Key", cell: (key) => <span className="font-medium">{key.name}</span> },
  { name: "State", cell: (key) => <StatusBadge status={stateOf(key)} /> },
  { name: "Begins with", cell: (key) => <span className="font-mono text-xs">{key.prefix}</span>, wide: true },
  { name: "Permissions", cell: (key) => <span className="line-clamp-2">{key.permissions.join(", ")}</span> },
  { name: "Last used", cell: (key) => <Time at={key.last_used_at} none="never" />, wide: true },
  { name: "Expires", cell: (key) => <Time at={key.expires_at} none="never" />, wide: true },
  { name: "Actions", cell: (key) => <Revoke apiKey={key} /> },
];

function stateOf(key: ApiKeyInfo): string {
  if (key.revoked_at !== null) return "revoked";
  return key.disabled_at === null ? "active" : "disabled";
}

export function Keys() {
  const keys = useKeysList();
  const [creating, setCreating] = useState(false);
  return (
    <Panel title="API keys" flush aside={<Button onClick={() => setCreating(true)}>Create a key</Button>}>
      <Loaded read={keys}>
        {() => (
          <DataTable
            label="API keys"
            rows={keys.rows}
            columns={COLUMNS}
            rowKey={(key) => key.id}
            more={{ has: keys.hasNextPage, busy: keys.isFetchingNextPage, load: keys.fetchNextPage }}
            empty={
              <Empty title="There are no API keys." command="tenuto keys create --name NAME --permissions runs:read" />
            }
          />
        )}
      </Loaded>
      {creating && <CreateKey close={() => setCreating(false)} />}
    </Panel>
  );
}

/** Creates a key, and shows it once: the server keeps only its hash. */
function CreateKey({ close }: { close: () => void }) {
  const create = useCreateKey();
  const toast = useToast();
  const [name, setName] = useState("");
  const [permissions, setPermissions] = useState("runs:read tasks:read");
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const body = { name, permissions: permissions.split(/[\s,]+/).filter((part) => part !== "") };
    create.mutate({ body }, { onError: (error) => toast.failed(error) });
  };
  return (
    <Dialog label="Create an API key" close={close}>
      {create.data === undefined ? (
        <form onSubmit={submit} className="flex flex-col gap-3 p-5">
          <h2 className="text-base font-semibold">Create an API key</h2>
          <label className="text-sm">
            Name
            <input
              required
              autoFocus
              value={name}
              onChange={(event) => setName(event.target.value)}
              className={FIELD}
            />
          </label>
          <label className="text-sm">
            Permissions, such as runs:read, runs:write or *
            <input
              required
              value={permissions}
              onChange={(event) => setPermissions(event.target.value)}
              className={FIELD}
            />
          </label>
          <div className="flex justify-end gap-2">
            <Button onClick={close}>Close</Button>
            <Button kind="primary" type="submit" busy={create.isPending}>
              Create the key
            </Button>
          </div>
        </form>
      ) : (
        <div className="flex flex-col gap-3 p-5">
          <h2 className="text-base font-semibold">The key is shown only now</h2>
          <p className="text-sm">Copy it to where it is used. The server keeps only its hash.</p>
          <Copy text={create.data.key} className="border border-line bg-raised p-2" />
          <div className="flex justify-end">
            <Button kind="primary" onClick={close}>
              I have copied it
            </Button>
          </div>
        </div>
      )}
    </Dialog>
  );
}

function Revoke({ apiKey }: { apiKey: ApiKeyInfo }) {
  const revoke = useRevokeKey();
  const confirm = useConfirm();
  const act = useAct();
  if (apiKey.revoked_at !== null) return null;
  const ask = async () => {
    const agreed = await confirm({
      title: `Revoke the key ${apiKey.name}?`,
      happens: "Every request with this key is refused from now on.",
      undo: "This cannot be undone; create a new key instead.",
      action: "Revoke the key",
      danger: true,
    });
    if (agreed) await act(() => revoke.mutateAsync({ path: { id: apiKey.id } }), `The key ${apiKey.name} is revoked.`);
  };
  return (
    <Button kind="danger" onClick={() => void ask()}>
      Revoke
    </Button>
  );
}
