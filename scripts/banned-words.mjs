// The words `check-words.mjs` reports, each with its replacement. Patterns are literals, so the check does not report this file.
// Of two overlapping matches the earlier pattern wins. A space matches any white space.
const words = [
  [/there (?:is|was) nobody/, "there is no agent, member or user"],
  [/nobody/, "no agent, no member or no user"],
  [/somebody/, "an agent, a member or a user"],
  [/whoever/, "the noun: the agent that …"],
  [/whom/, "the noun: … that the agent …"],
  [/who rests?|at rest(?<!(?:encrypted|encryption|data) at rest)/, "idle"],
  [/(?:brought|bring|brings|comes?|came) to rest/, "stop, stopped or idle"],
  [/anew/, "again"],
  [/mend(?:s|ed|ing)?/, "fix or repair"],
  [/elsewhere/, "the place: remote, on another host, in another file"],
  [/meanwhile/, "while …, or nothing"],
  [/besides/, "also, or in addition to"],
  [/farewell/, "shutdown message"],
  [/(?:is|are|was|were|be|been|being) told/, "receives, reads, is notified or is known"],
  [/go on with|goes on|went on|going on|gone on/, "continue"],
  [/of (?:its|their) own/, "its own …, or separate"],
  // `There is no X` is plain English, `it is no X` is not.
  [
    /(?<!there )(?:is|are|was|were) no(?= \w)(?! (?:longer|more|less|fewer|better|worse|different|doubt|matter|need|problem|use)\b)/,
    "is not a …",
  ],
  [/so many(?![^.;:]*? that\b)/, "the name of the number"],
  [/puts? (?:it |them )?away|putting (?:it |them )?away/, "archive, evict or remove"],
  [/puts? (?:it |them )?down|putting (?:it |them )?down/, "write or store"],
  [/t(?:ake[sn]?|aking|ook) (?:it |them )?up(?! to\b)/, "resume, adopt or import"],
  [/g(?:ive[sn]?|iving|ave) (?:it |them |\w+ )?back/, "return or release"],
  [/given up/, "aborted or abandoned"],
  [/hand(?:s|ed|ing)? (?:it |them )?over|hand-?overs?/, "pass, send or report"],
  [/cannot be had|(?:to|can|could|may|might) be had/, "available, or not available"],
  [/had again/, "available again"],
  [/seat(?:s|ed|ing)?/, "agent runtime"],
  [/outfit(?:s|ted)?/, "agent extras"],
  [/untold/, "not reported"],
  [/doings/, "activity"],
  [/knock(?:s|ed|ing)?/, "connect"],
  [/guests?/, "client"],
  [/observator(?:y|ies)/, "session directory"],
  [/vouch(?:es|ed|ing)?|vouchers?/, "endorse or confirm"],
  [/(?:lends?|lent|lending) (?:a |an |its |the |their )?places?/, "lend a slot"],
  [/earlier (?:life|lives)|hasLived/, "previous run"],
  [/is just being/, "is being"],
  [/comes? of it/, "the result"],
  [/where it stands/, "its state or its position"],
];

export const bannedWords = words.map(([pattern, use]) => ({
  pattern: new RegExp(`(?<![\\w-])(?:${pattern.source.replaceAll(" ", "\\s+")})(?!\\w)`, "gi"),
  use,
}));

/** A comment must not start with a relative clause. A question may. */
export const bannedStart = {
  pattern: /^(?:Whoever|Whom|Whose|Who|Of whom|Of what|Of which|What|Whether|That which)\b/,
  use: "a noun as the subject",
};
