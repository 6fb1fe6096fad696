export interface LostTranscript {
  readonly name: string;
  /** The session whose transcript is not there any more. */
  readonly sessionId: string;
}

/** Said to the lead, and shown to the user, of a member that is back and knows nothing of its earlier life. */
export const lostTranscriptNotice = ({ name, sessionId }: LostTranscript): string =>
  `${name} is back without what it knew: the transcript of its session ${sessionId} is not there any more. It knows neither what it was told nor what it has done: tell it again what it needs.`;

/** Said to that member itself. */
export const ownLostTranscriptNotice =
  "You were in this team before, and the transcript of that is not there any more: what you were told and what you have done is lost to you. Your lead knows. TaskList shows the tasks.";
