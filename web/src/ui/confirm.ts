import { createContext, useContext } from "react";

export interface Question {
  title: string;
  /** What will happen, in one or two sentences. */
  happens: string;
  /** How to undo it, or that it cannot be undone. */
  undo: string;
  action: string;
  danger?: boolean;
}

export const ConfirmContext = createContext<(question: Question) => Promise<boolean>>(() => Promise.resolve(false));

/** Asks before an action with consequences; resolves to whether the user agreed. */
export function useConfirm() {
  return useContext(ConfirmContext);
}
