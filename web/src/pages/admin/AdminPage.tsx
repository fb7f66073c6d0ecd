import { useNavigate } from "@tanstack/react-router";

import { Page } from "../../ui/Page";
import { Tabs } from "../../ui/Tabs";
import { Audit } from "./Audit";
import { Keys } from "./Keys";
import { adminRoute, type AdminTab } from "./route";
import { Users } from "./Users";

const TABS: readonly (readonly [AdminTab, string])[] = [
  ["users", "Users and roles"],
  ["keys", "API keys"],
  ["audit", "Audit log"],
];

export function AdminPage() {
  const { tab = "users" } = adminRoute.useSearch();
  const navigate = useNavigate({ from: "/admin" });
  return (
    <Page title="Admin" about="Users, roles and API keys, and the audit log of their actions.">
      <Tabs
        label="Parts of the administration"
        tabs={TABS}
        value={tab}
        onChange={(next) => void navigate({ search: { tab: next }, replace: true })}
      />
      {tab === "users" && <Users />}
      {tab === "keys" && <Keys />}
      {tab === "audit" && <Audit />}
    </Page>
  );
}
