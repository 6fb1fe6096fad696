/** What it takes to lead a team, loaded with the first one. */
export async function loadLeadTeam() {
  const [{ createTeamLead: createLeadTeam }, { openMailbox: teamMailbox }] = await Promise.all([
    import("./lead-team.ts"),
    import("./team-mailbox.ts"),
  ]);
  return { createLeadTeam, teamMailbox };
}
