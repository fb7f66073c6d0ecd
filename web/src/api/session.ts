import { useQuery } from "@tanstack/react-query";
import { createContext, useContext } from "react";

import { ApiError, call, setCsrfToken } from "./client";
import type { MeResponse } from "./schema";

export const Session = createContext<MeResponse | null>(null);

/** Reads who is logged in; null if nobody is. */
export function useLogin() {
  return useQuery({
    queryKey: ["me"],
    queryFn: async () => {
      try {
        const me = await call("GET /auth/me");
        setCsrfToken(me.csrf_token);
        return me;
      } catch (error) {
        if (error instanceof ApiError && error.status === 401) return null;
        throw error;
      }
    },
    staleTime: 60_000,
  });
}

/** Returns whether the logged-in user has a permission, such as `runs:write`. */
export function useMay(permission: string): boolean {
  return allows(useContext(Session)?.permissions ?? [], permission);
}

export function allows(granted: string[], needed: string): boolean {
  return granted.includes(needed) || granted.includes("*") || granted.includes(`${needed.split(":")[0] ?? ""}:*`);
}
