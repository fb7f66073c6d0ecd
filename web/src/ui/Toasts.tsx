import { useCallback, useMemo, useRef, useState, type ReactNode } from "react";

import { ToastContext, toastOf, type Toast } from "./toast";

const SHOWN_MS = 6000;

export function ToastProvider({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<Toast[]>([]);
  const last = useRef(0);
  const add = useCallback((toast: Omit<Toast, "id">) => {
    const id = ++last.current;
    setToasts((old) => [...old.slice(-3), { ...toast, id }]);
    window.setTimeout(() => setToasts((old) => old.filter((shown) => shown.id !== id)), SHOWN_MS);
  }, []);
  const toaster = useMemo(
    () => ({
      done: (text: string) => add({ text, bad: false }),
      failed: (error: unknown) => add({ ...toastOf(error), bad: true }),
    }),
    [add],
  );
  return (
    <ToastContext value={toaster}>
      {children}
      <div className="fixed right-4 bottom-4 z-50 flex w-80 max-w-[calc(100vw-2rem)] flex-col gap-2" aria-live="polite">
        {toasts.map((toast) => (
          <div
            key={toast.id}
            className={`rounded-lg border p-3 text-sm shadow-lg ${
              toast.bad ? "border-bad bg-bad-soft" : "border-line bg-panel"
            }`}
          >
            <p className="[overflow-wrap:anywhere]">{toast.text}</p>
            {toast.hint != null && <p className="mt-1 text-xs text-muted">{toast.hint}</p>}
          </div>
        ))}
      </div>
    </ToastContext>
  );
}
