import { troupeNotice } from "../notice.ts";

/** Asks once more after an answer without text and without calls. */
export const emptyAnswer = troupeNotice("Your answer was empty. Go on, or say what you did and what came of it.");
