import { useEffect, useRef, type ReactNode } from "react";

interface DialogProps {
  label: string;
  close: () => void;
  children: ReactNode;
  className?: string;
}

/** A modal dialog of the browser: it keeps the focus inside, and Escape closes it. */
export function Dialog({ label, close, children, className = "" }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = element.current;
    if (dialog?.open === false) dialog.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={element}
      aria-label={label}
      onCancel={close}
      onClick={(event) => event.target === element.current && close()}
      className={`m-auto w-[min(36rem,calc(100vw-2rem))] rounded-xl border border-line bg-panel p-0 text-text shadow-2xl
        ${className}`}
    >
      {children}
    </dialog>
  );
}
