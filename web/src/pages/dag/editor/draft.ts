import { useState } from "react";

/** A document that is being changed. Until it is deployed, this tab of the browser keeps it when the page is left. */
export function useDraft(dag: string | undefined, text: string): [string, (yaml: string) => void] {
  const key = `tenuto-draft-${dag ?? ""}`;
  const [yaml, setYaml] = useState(() => sessionStorage.getItem(key) ?? text);
  const change = (next: string) => {
    setYaml(next);
    if (next === text) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, next);
  };
  return [yaml, change];
}
