import { type Member, teamLead } from "../../../protocol/index.ts";

/** For an agent that looks for a member among its background jobs: which call reads or ends the member. */
export function memberIsNoJob({ name, ended }: Pick<Member, "name" | "ended">, reader: string): string {
  if (ended) return `${name} was a teammate and has ended. There is nothing to stop or to read.`;
  if (name === reader) return `${name} is you, not a background job.`;
  if (reader === teamLead)
    return `${name} is a teammate, not a background job. Its report comes to you by itself: to wait for it, end your turn. To ask how far it is, write to it with SendMessage. To end it: SendMessage with to ${JSON.stringify(name)} and message {"type":"shutdown_request"}.`;
  return `${name} is a member of your team, not a background job. Write to it with SendMessage. Only ${teamLead} ends members.`;
}
