import type { QueryOf } from "./client";
import { useChange, usePages, useRead } from "./query";
import type { ApiKeyInfo, AuditEntry, Member, User } from "./schema";

export function useUsers(enabled = true) {
  return usePages<"GET /v1/users", User>("GET /v1/users", { query: { limit: 100 } }, { key: ["users"], enabled });
}

export function useEditUser() {
  return useChange("PATCH /v1/users/{user_id}", [["users"]]);
}

export function useRoles() {
  return useRead("GET /v1/roles", { query: { limit: 100 } }, { key: ["roles"] });
}

/** The members of a role, by id. */
export function useMembers(name: string) {
  return usePages<"GET /v1/roles/{name}/members", Member>(
    "GET /v1/roles/{name}/members",
    { path: { name }, query: { limit: 100 } },
    { key: ["roles", name, "members"], cursor: "after" },
  );
}

export function useAddMember() {
  return useChange("PUT /v1/roles/{name}/members/{user_id}", [["roles"], ["users"]]);
}

export function useRemoveMember() {
  return useChange("DELETE /v1/roles/{name}/members/{user_id}", [["roles"], ["users"]]);
}

export function useKeysList() {
  return usePages<"GET /v1/keys", ApiKeyInfo>("GET /v1/keys", { query: { limit: 100 } }, { key: ["keys"] });
}

export function useCreateKey() {
  return useChange("POST /v1/keys", [["keys"]]);
}

export function useRevokeKey() {
  return useChange("DELETE /v1/keys/{id}", [["keys"]]);
}

export function useAudit(query: QueryOf<"GET /v1/audit">) {
  return usePages<"GET /v1/audit", AuditEntry>("GET /v1/audit", { query }, { key: ["audit", query] });
}

export function useAuditHeads() {
  return useRead("GET /v1/audit/heads", { query: { limit: 1 } }, { key: ["audit heads"] });
}

export function useCreateUser() {
  return useChange("POST /v1/users", [["users"]]);
}

export function useCreateRole() {
  return useChange("POST /v1/roles", [["roles"]]);
}
