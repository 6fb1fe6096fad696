import { cut, type Envelope, leadPath, oneLine, type WorkItemStatus } from "../protocol/index.ts";

const longestLine = 100;

/** Returns short lines for a person who waits: which agent does what, and which tasks are done. */
export function createProgressLines(): (envelope: Envelope) => string | undefined {
  const names = new Map<string, string>();
  const tasks = new Map<string, WorkItemStatus>();
  return ({ agent, event }) => {
    const name = names.get(agent);
    switch (event.type) {
      case "agent.spawned": {
        const own = nameOf(event.path);
        names.set(agent, own);
        return event.path === leadPath ? undefined : line(`${own} starts`, event.description);
      }
      case "tool.called":
        return line(name ?? "lead", event.title);
      case "agent.idle":
        if (name === undefined || name === leadPath) return undefined;
        return event.reason === "completed" ? `${name} is done` : line(`${name} stops (${event.reason})`, event.detail);
      case "task.changed": {
        const { id, status, subject, owner } = event.task;
        const key = JSON.stringify([event.team, id]);
        const before = tasks.get(key);
        tasks.set(key, status);
        // A task that is completed at first sight was completed in a previous run.
        if (status !== "completed" || before === undefined || before === status) return undefined;
        return line(`task #${id} is completed${owner === undefined ? "" : ` by ${owner}`}`, subject);
      }
      default:
        return undefined;
    }
  };
}

/** `scout` for `lead/scout` and for `scout@alpha`. */
const nameOf = (path: string) => path.split("/").at(-1)?.split("@")[0] ?? path;

const line = (who: string, what: string | undefined) =>
  cut(oneLine(what === undefined ? who : `${who}: ${what}`), longestLine);
