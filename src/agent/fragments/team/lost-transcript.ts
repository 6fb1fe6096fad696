export interface LostTranscript {
  readonly name: string;
  /** The session whose transcript no longer exists. */
  readonly sessionId: string;
}

/** Tells the lead and the user that a member is back without its conversation. */
export const lostTranscriptNotice = ({ name, sessionId }: LostTranscript): string =>
  `${name} is back without its memory: the transcript of its session ${sessionId} no longer exists. It does not know its instructions or what it has done. Send it again what it needs.`;

/** The same notice for the member itself. */
export const ownLostTranscriptNotice =
  "You were in this team before, but the transcript no longer exists: you no longer know your instructions or what you have done. Your lead knows this, and sends you what you need by mail.";
