/** Loads the code for leading a team with the first team. */
export async function loadLeadTeam() {
  const [{ createTeamLead: createLeadTeam }, { openMailbox: teamMailbox }] = await Promise.all([
    import("./create-team-lead.ts"),
    import("../mailbox/open-mailbox.ts"),
  ]);
  return { createLeadTeam, teamMailbox };
}
