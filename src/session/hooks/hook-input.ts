import type { HookEvent } from "./hook-events.ts";

type Fields = Readonly<Record<string, unknown>>;

export interface HookInputFacts {
  readonly sessionId: string;
  readonly transcriptPath: string | undefined;
  readonly cwd: string;
  readonly mode: string;
  /** Undefined for the lead: with these fields a hook can tell other agents from it. */
  readonly agent?: { readonly id: string; readonly type: string; readonly name: string | undefined } | undefined;
  readonly team?: string | undefined;
}

/** The input fields that every hook of an agent gets, with the names that hooks expect. */
export const commonHookInput = ({ sessionId, transcriptPath, cwd, mode, agent, team }: HookInputFacts): Fields => ({
  session_id: sessionId,
  transcript_path: transcriptPath,
  cwd,
  permission_mode: mode,
  ...(agent && { agent_id: agent.id, agent_type: agent.type, agent_name: agent.name }),
  ...(team !== undefined && { team_name: team }),
});

/** The JSON that a hook reads from its standard input. */
export const buildHookInput = (event: HookEvent, common: Fields, own: Fields): Fields => ({
  ...common,
  hook_event_name: event,
  ...own,
});
