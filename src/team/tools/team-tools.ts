import * as z from "zod";
import { type DeletedTeam, teamDeleted } from "../../agent/index.ts";
import { defineTool, textResult, type Tool } from "../../tool/index.ts";
import { lazyInput } from "./lazy-input.ts";
import { toFailedResult } from "./to-failed-result.ts";

/** Both reject with a `TroupeError` of the code `team` for expected failures. Its message is for the model. */
export interface TeamToolPorts {
  /** `team` is the name that the team got, `lead` the caller's name in it. */
  create(name: string, description?: string): Promise<{ readonly team: string; readonly lead: string }>;
  /** Without a name: the team that the caller leads. */
  remove(name?: string): Promise<DeletedTeam>;
  /** Tells the model how to lead a team, once it has one. */
  conduct?(team: string, lead: string): string;
}

interface TeamCreateInput {
  readonly team_name?: string | undefined;
  readonly description?: string | undefined;
}

const createInput = lazyInput<TeamCreateInput>(() =>
  z.strictObject({
    team_name: z.string().trim().max(64).optional().describe("Short; letters, digits and -"),
    description: z.string().max(1_000).optional().describe("What the team is for"),
  }),
);

/** A model that has a team already reads that first, also if its call names none. */
const defaultName = "team";

interface TeamDeleteInput {
  readonly team_name?: string | undefined;
}

const deleteInput = lazyInput<TeamDeleteInput>(() =>
  z.strictObject({ team_name: z.string().trim().min(1).max(64).optional().describe("Default: the team you lead") }),
);

/** Creates the tools that create and delete teams. They are for leads. */
export function createTeamTools(ports: TeamToolPorts): readonly Tool[] {
  return [teamCreate(ports), teamDelete(ports)];
}

function teamCreate(ports: TeamToolPorts): Tool {
  return defineTool<TeamCreateInput>({
    name: "TeamCreate",
    description: `Creates a team with you as its lead: teammates that stay, exchange messages by name and share a task list. Use it for work with parts that run for long at the same time and have to agree with each other. For a single task with a single answer, use Agent without a team.`,
    get input() {
      return createInput();
    },
    access: "write",
    subject: () => ({ kind: "own" }),
    title: (input) => `TeamCreate ${input.team_name || defaultName}`,
    async execute({ team_name: name, description }) {
      return toFailedResult(async () => {
        const asked = name || defaultName;
        const { team, lead } = await ports.create(asked, description);
        const renamed = team === asked ? "" : ` The name ${JSON.stringify(asked)} was taken.`;
        const conduct = ports.conduct?.(team, lead);
        return textResult(
          `The team ${team} is ready, and you are ${lead} in it.${renamed} Start teammates with Agent and a name. Put the work on the list with TaskCreate.${conduct === undefined ? "" : `\n\n${conduct}`}`,
        );
      });
    },
  });
}

function teamDelete(ports: TeamToolPorts): Tool {
  return defineTool<TeamDeleteInput>({
    name: "TeamDelete",
    description: `Deletes a team with its mail and its task list. Only when its work is done: it is refused while members are active. Ask those to end first, with SendMessage and a shutdown_request.`,
    get input() {
      return deleteInput();
    },
    access: "write",
    subject: () => ({ kind: "own" }),
    title: ({ team_name: name }) => `TeamDelete${name === undefined ? "" : ` ${name}`}`,
    async execute({ team_name: name }) {
      return toFailedResult(async () => {
        return textResult(teamDeleted(await ports.remove(name)));
      });
    },
  });
}
