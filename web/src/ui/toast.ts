import { createContext, useContext } from "react";

import { ApiError } from "../api/client";

export interface Toast {
  id: number;
  text: string;
  hint?: string | null;
  bad: boolean;
}

export interface Toaster {
  done: (text: string) => void;
  failed: (error: unknown) => void;
}

export const ToastContext = createContext<Toaster>({ done: () => undefined, failed: () => undefined });

/** Tells the user, for a few seconds, how an action ended. */
export function useToast(): Toaster {
  return useContext(ToastContext);
}

/** Runs an action and tells how it ended; returns whether it succeeded. */
export function useAct() {
  const toast = useToast();
  return async (action: () => Promise<unknown>, done: string): Promise<boolean> => {
    try {
      await action();
      toast.done(done);
      return true;
    } catch (error) {
      toast.failed(error);
      return false;
    }
  };
}

export function toastOf(error: unknown): Pick<Toast, "text" | "hint"> {
  if (error instanceof ApiError) return { text: error.message, hint: error.hint };
  return { text: error instanceof Error ? error.message : String(error) };
}
