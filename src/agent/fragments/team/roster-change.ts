/** The members that joined and left a team since an agent was last told. */
export interface RosterChange {
  readonly joined: readonly { readonly name: string; readonly agentType?: string | undefined }[];
  readonly left: readonly string[];
}

/** Undefined if nothing changed. */
export function rosterChanged({ joined, left }: RosterChange): string | undefined {
  const sentences = [
    ...(joined.length === 0 ? [] : [`Joined the team: ${list(joined.map(described))}.`]),
    ...(left.length === 0 ? [] : [`Left the team: ${list(left)}.`]),
  ];
  return sentences.length === 0 ? undefined : sentences.join(" ");
}

const shown = 40;

const described = ({ name, agentType }: RosterChange["joined"][number]) =>
  agentType === undefined ? name : `${name} (${agentType})`;

const list = (names: readonly string[]) =>
  names.length <= shown ? names.join(", ") : `${names.slice(0, shown).join(", ")} and ${names.length - shown} more`;
