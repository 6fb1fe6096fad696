import { type Agent, backgroundNotification } from "../agent/index.ts";
import type { Clock, CreateId } from "../platform/index.ts";
import type { OpenedSession } from "../store/index.ts";
import { type BackgroundEvent, type BackgroundTasks, createBackgroundTasks } from "../tool/index.ts";

export interface SessionBackground {
  readonly tasks: BackgroundTasks;
  running(): readonly { readonly id: string; readonly description: string }[];
  /** Ends everything and says so in the log, but wakes nobody any more. */
  stopAll(): Promise<void>;
}

export interface SessionBackgroundOptions {
  readonly agent: () => Agent;
  readonly opened: OpenedSession;
  readonly clock: Clock;
  readonly createId: CreateId;
  readonly secrets?: readonly string[] | undefined;
}

/** The background work of a session: in its log, on its stream, and told to the agent that started it when it ends. */
export function createSessionBackground({
  agent,
  opened,
  clock,
  createId,
  secrets,
}: SessionBackgroundOptions): SessionBackground {
  let closing = false;
  const running = new Map<string, { id: string; description: string; outputFile: string }>();

  const onEvent = async (event: BackgroundEvent) => {
    switch (event.type) {
      case "background.output":
        return agent().live(event);
      case "background.started":
        running.set(event.backgroundId, { ...event, id: event.backgroundId });
        return agent().record(event);
      case "background.ended": {
        const task = running.get(event.backgroundId);
        // The agent is at work on the news before anybody hears of the end: no moment in between looks like the end of all work.
        if (!closing && task) {
          await agent().admit("background", [{ type: "text", text: backgroundNotification({ ...task, ...event }) }]);
          agent().wake();
        }
        running.delete(event.backgroundId);
        return agent().record(event);
      }
    }
  };

  const tasks = createBackgroundTasks({
    clock,
    createId,
    onEvent,
    secrets,
    outputFile: (id) => opened.taskOutputFile(id),
  });
  return {
    tasks,
    running: () => [...running.values()],
    async stopAll() {
      closing = true;
      await tasks.stopAll();
    },
  };
}
