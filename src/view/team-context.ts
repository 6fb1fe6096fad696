/** The team this session belongs to. Where it disagrees with the tasks for a moment, they are right. */
export interface TeamContext {
  readonly teamName: string;
  readonly leadAgentId: string;
  readonly selfAgentId: string;
  readonly selfAgentName: string;
  readonly selfAgentColor: string | undefined;
  readonly isLeader: boolean;
  /** By `name@team`, without the lead and without this session's own agent. */
  readonly teammates: ReadonlyMap<string, TeammateInfo>;
}

export interface TeammateInfo {
  readonly name: string;
  readonly agentType: string | undefined;
  readonly color: string | undefined;
  readonly tmuxPaneId: string | undefined;
  readonly cwd: string | undefined;
  readonly worktreePath: string | undefined;
  readonly spawnedAt: string | undefined;
}
