import { safeName } from "../../platform/index.ts";

/** The subjects of one team on the bus. Names become tokens without dot, star or space. */
export interface TeamSubjects {
  readonly all: string;
  readonly team: string;
  readonly tasks: string;
  /** The presence messages of members and processes. */
  readonly presenceMessages: string;
  presence(member: string): string;
  /** The claim to read a member's inbox. */
  reader(member: string): string;
  /** The heartbeats of a process. */
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

/** Each new team gets a unique stream name, so that a process of a deleted team cannot write to its successor. */
export const streamName = (team: string, id: string): string => `${streamPrefix}${safeName(team)}=${id}`;

export const streamPrefix = "troupe=";

export const bucketName = (stream: string): string => stream.replaceAll(/[^A-Za-z0-9_-]/g, "-");
