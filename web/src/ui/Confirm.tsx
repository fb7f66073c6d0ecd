import { useCallback, useState, type ReactNode } from "react";

import { Button } from "./Button";
import { ConfirmContext, type Question } from "./confirm";
import { Dialog } from "./Dialog";

interface Asked extends Question {
  answer: (agreed: boolean) => void;
}

export function ConfirmProvider({ children }: { children: ReactNode }) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const ask = useCallback(
    (question: Question) => new Promise<boolean>((answer) => setAsked({ ...question, answer })),
    [],
  );
  const decide = (agreed: boolean) => {
    asked?.answer(agreed);
    setAsked(null);
  };
  return (
    <ConfirmContext value={ask}>
      {children}
      {asked !== null && (
        <Dialog label={asked.title} close={() => decide(false)}>
          <div className="flex flex-col gap-3 p-5">
            <h2 className="text-base font-semibold">{asked.title}</h2>
            <p>{asked.happens}</p>
            <p className="text-sm text-muted">{asked.undo}</p>
            <div className="mt-2 flex justify-end gap-2">
              <Button onClick={() => decide(false)}>Keep as it is</Button>
              <Button kind={asked.danger === true ? "danger" : "primary"} onClick={() => decide(true)} autoFocus>
                {asked.action}
              </Button>
            </div>
          </div>
        </Dialog>
      )}
    </ConfirmContext>
  );
}
