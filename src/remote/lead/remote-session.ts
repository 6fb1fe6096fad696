import type { Agent, Ledger, PermissionPorts } from "../../agent/index.ts";
import type { Clock, CreateId } from "../../platform/index.ts";
import type { AgentDefinition, AgentId, Envelope, StoredEnvelope } from "../../protocol/index.ts";
import type { OpenedSession } from "../../store/index.ts";
import type { BackgroundJobs, RuleSet } from "../../tool/index.ts";
import type { RemoteWork } from "./remote-work.ts";

/** The parts of a session that its remote agents use. */
export interface RemoteSession {
  readonly session: {
    readonly log: {
      readonly opened: OpenedSession;
      readAgents(): Promise<ReadonlyMap<AgentId, readonly StoredEnvelope[]>>;
    };
    readonly extensions: { readonly definitions: readonly AgentDefinition[]; readonly rules: RuleSet };
    readonly budget: { readonly ledger: Ledger };
    readonly ports: {
      readonly remote: RemoteWork | undefined;
      readonly clock: Clock;
      readonly createId: CreateId;
    };
  };
  readonly ask: PermissionPorts["ask"];
  readonly publish: (envelope: Envelope) => void;
}

/** The session's own agent, as far as its remote agents use it. */
export interface RemoteParent {
  readonly agent: Agent;
  readonly background: { readonly tasks: BackgroundJobs };
}
