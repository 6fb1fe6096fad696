import { safeName } from "../../platform/index.ts";

/** Where everything of one team is on the bus. Names become tokens that hold no dot, star or space. */
export interface TeamSubjects {
  readonly all: string;
  readonly team: string;
  readonly tasks: string;
  /** What members and processes say of themselves. */
  readonly presenceMessages: string;
  presence(member: string): string;
  /** Who reads a member's inbox. */
  reader(member: string): string;
  /** That a process is there. */
  beat(process: string): string;
  inbox(member: string): string;
  events(agent: string): string;
}

export function teamSubjects(team: string): TeamSubjects {
  const root = `troupe.${safeName(team)}`;
  return {
    all: `${root}.>`,
    team: `${root}.team`,
    tasks: `${root}.tasks`,
    presenceMessages: `${root}.presence.>`,
    presence: (member) => `${root}.presence.${safeName(member)}`,
    reader: (member) => `${root}.presence.${safeName(member)}.reader`,
    beat: (process) => `${root}.presence._.${process}`,
    inbox: (member) => `${root}.inbox.${safeName(member)}`,
    events: (agent) => `${root}.events.${safeName(agent)}`,
  };
}

/** The stream has a name of its own each time a team is made: who had the one that was deleted writes into no other. */
export const streamName = (team: string, id: string): string => `${streamPrefix}${safeName(team)}=${id}`;

export const streamPrefix = "troupe=";

/** The bucket of a team's objects. */
export const bucketName = (stream: string): string => stream.replaceAll(/[^A-Za-z0-9_-]/g, "-");
