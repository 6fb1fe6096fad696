import { onTestFinished } from "vitest";
import { createMemoryPanes } from "../../simulation/world/memory-panes.ts";
import { systemClock } from "../../src/platform/index.ts";
import { createMemoryWorld, type MemoryProcess } from "../../src/store/index.ts";
import { testPaneBackend } from "../support/team/pane-backend-contract.ts";

testPaneBackend(async () => {
  const world = createMemoryWorld({ clock: systemClock, fillRandom: (bytes) => bytes.fill(7) });
  const programs = new Map<string, MemoryProcess>();
  const panes = createMemoryPanes({
    clock: systemClock,
    startProcess: () => world.startProcess(),
    run: async ({ name }, process) => {
      programs.set(name, process);
      return { ended: new Promise(() => undefined), hangUp: async () => undefined };
    },
  });
  return {
    cwd: "/work",
    openBackend: () => {
      const backend = panes.open({ clock: systemClock });
      onTestFinished(() => backend.close());
      return backend;
    },
    programOf: async (name) => () => programs.get(name)?.isDead === false,
    closePane: panes.closePane,
  };
});
