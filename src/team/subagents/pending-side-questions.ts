/** The side questions of one subagent that a small model has not answered yet. */
export interface PendingSideQuestions {
  track(asking: Promise<void> | undefined): void;
  settled(): Promise<unknown>;
}

export function createPendingSideQuestions(): PendingSideQuestions {
  const pending = new Set<Promise<void>>();
  return {
    track(asking) {
      if (!asking) return;
      const tracked = asking.finally(() => pending.delete(tracked));
      pending.add(tracked);
    },
    settled: () => Promise.all(pending),
  };
}
