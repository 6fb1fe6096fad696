/** What it takes to lead a team, loaded with the first one. */
export async function loadLeadTeam() {
  const [{ createTeamLead: createLeadTeam }, { openMailbox: teamMailbox }] = await Promise.all([
    import("./create-team-lead.ts"),
    import("../mailbox/open-mailbox.ts"),
  ]);
  return { createLeadTeam, teamMailbox };
}
