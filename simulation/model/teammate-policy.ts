import { hash } from "../random.ts";
import { leadName } from "../scenario.ts";
import { type Answer, type Call, call, type PolicyContext, say, sendMessage } from "./answer.ts";
import { poll, repeatLast } from "./lead-policy.ts";
import { commitCommands, isCommit } from "../world/memory-tools.ts";
import { type Conversation, openRequests } from "./read-request.ts";

/** Decides a teammate's next answer: answer requests, present its plan, do its work, report. */
export function teammateAnswer(conversation: Conversation, context: PolicyContext): Answer {
  const { persona, random } = context;
  if (random.chance(persona.habits.refusing)) return { kind: "refusal" };
  if (random.chance(persona.habits.failing)) return { kind: "failure" };
  return (
    answerShutdown(conversation, context) ??
    repeatLast(conversation, context) ??
    presentPlan(conversation, context) ??
    chat(conversation, context) ??
    work(conversation, context) ??
    commit(conversation, context) ??
    poll(conversation, context) ??
    report(conversation, context)
  );
}

function answerShutdown(conversation: Conversation, { persona, random }: PolicyContext): Answer | undefined {
  const request = openRequests(conversation).findLast(({ kind }) => kind === "shutdown");
  if (!request) return undefined;
  const refused = conversation.calls.filter(
    ({ input }) => (input["message"] as { approve?: boolean })?.approve === false,
  );
  const isReminded = conversation.news.some((text) => text.includes(request.id));
  if (!isReminded && random.chance(persona.habits.forgetful)) return undefined;
  if (random.chance(persona.habits.wordy)) return say("I agree to end.");
  const approve = refused.length > 1 || !random.chance(persona.habits.stubborn);
  const message = { type: "shutdown_response", request_id: request.id, approve };
  return call(sendMessage(request.from, approve ? message : { ...message, reason: "I am not done yet." }));
}

function presentPlan({ calls }: Conversation, { scenario, name, random }: PolicyContext): Answer | undefined {
  const planned = scenario.members.find((member) => member.name === name)?.planRequired;
  if (!planned) return undefined;
  const plans = calls.filter((each) => each.name === "ExitPlanMode");
  if (plans.some(({ isError, result }) => !isError && result !== undefined)) return undefined;
  if (plans.length > 3) return say("My plan was not approved, so I stop here.");
  if (plans.length === 0 && calls.length < 1 && random.chance(0.7))
    return call({ name: "Read", input: { file_path: "notes.txt" } });
  return call({
    name: "ExitPlanMode",
    input: { plan: `Plan of ${name}, version ${plans.length + 1}: write the file.` },
  });
}

function chat({ calls }: Conversation, { scenario, name, persona, random }: PolicyContext): Answer | undefined {
  if (calls.length > 30 || !random.chance(persona.habits.chatty * 0.5)) return undefined;
  const others = [leadName, ...scenario.members.map((member) => member.name)].filter((other) => other !== name);
  const to = random.chance(persona.habits.confused) ? random.pick(["lead", "Bob", "everyone"]) : random.pick(others);
  return call(sendMessage(to, `Message ${calls.length} of ${name}.`));
}

/** One piece of work: a task of the list, or a job from a message. */
interface Unit {
  readonly label: string;
  readonly taskId: number | undefined;
}

function work(conversation: Conversation, context: PolicyContext): Answer | undefined {
  const { scenario, name, persona, random } = context;
  const steps = scenario.members.find((member) => member.name === name)?.steps ?? 1;
  const { calls } = conversation;
  for (const unit of unitsOf(conversation)) {
    const { taskId, label } = unit;
    const updates = calls.filter((each) => each.name === "TaskUpdate" && each.input["taskId"] === taskId);
    const isOver =
      taskId !== undefined &&
      (updates.some(({ input, isError }) => input["status"] === "completed" && !isError) ||
        updates.filter(({ isError }) => isError).length > 1);
    const done = calls.filter(({ input }) => String(input["file_path"] ?? input["command"]).includes(label)).length;
    const isForgotten = done >= steps && habit("forgetful", label, context);
    if (isOver || isForgotten || (taskId === undefined && done >= steps)) continue;
    if (random.chance(persona.habits.hasty)) return undefined;
    if (taskId !== undefined && updates.length === 0 && !wasClaimed(conversation, taskId))
      return call({ name: "TaskUpdate", input: { taskId, status: "in_progress" } });
    const isLeft = done < (habit("lazy", label, context) ? 1 : steps);
    const next = isLeft ? step(unit, done, { random, tools: conversation.tools }) : undefined;
    if (next) return call(next);
    if (taskId === undefined) continue;
    return commit(conversation, context) ?? call({ name: "TaskUpdate", input: { taskId, status: "completed" } });
  }
  return undefined;
}

/** Commits what it has written in its worktree, once after the last change. */
function commit({ calls, tools }: Conversation, context: PolicyContext): Answer | undefined {
  const { scenario, name } = context;
  if (!scenario.members.find((member) => member.name === name)?.worktree || !tools.has("Bash")) return undefined;
  const written = calls.findLastIndex((each) => each.name === "Write" && !each.isError);
  const committed = calls.findLastIndex(({ input }) => isCommit(String(input["command"])));
  if (written <= committed || habit("forgetful", `commit ${written}`, context)) return undefined;
  const isAsked = hash(`${scenario.seed}/${name}/asks to commit`) % 3 === 0;
  return call({ name: "Bash", input: { command: isAsked ? commitCommands.asked : commitCommands.free } });
}

/** A habit that is the same for all turns about one piece of work. */
const habit = (which: "forgetful" | "lazy", label: string, { scenario, name, persona }: PolicyContext) =>
  (hash(`${scenario.seed}/${name}/${label}/${which}`) % 1000) / 1000 < persona.habits[which];

/** Undefined for an agent that has no tool to work with. */
function step(
  { label }: Unit,
  done: number,
  { random, tools }: Pick<PolicyContext, "random"> & Pick<Conversation, "tools">,
): Call | undefined {
  const look = { name: "Read", input: { file_path: `${label}-${done}.txt` } };
  const run = { name: "Bash", input: { command: `echo ${label} ${done}` } };
  const write = { name: "Write", input: { file_path: `${label}.txt`, content: `${label}, line ${done}` } };
  const wanted = tools.has("Write") ? (random.chance(0.3) ? [run, write] : [write, run]) : [look, run];
  return wanted.find(({ name }) => tools.has(name));
}

const wasClaimed = ({ heard }: Conversation, taskId: number) =>
  heard.some((text) => text.includes(`<task id="${taskId}"`));

/** The work that others gave to this agent, without tasks that were taken away from it. */
function unitsOf({ heard }: Conversation): Unit[] {
  const units = new Map<string, Unit>();
  for (const text of heard) {
    for (const [, id] of text.matchAll(/[Tt]ask #(\d+)(?= is yours| and| of the list)|<task id="(\d+)"/g)) add(id);
    for (const [, , id] of text.matchAll(/([Tt]ask #(\d+)(?= is yours| and| of the list))|<task id="(\d+)"/g)) add(id);
    for (const [, id] of text.matchAll(/<task id="(\d+)"/g)) add(id);
    for (const [, job] of text.matchAll(/Do job (\d+)/g))
      units.set(`job-${job}`, { label: `job-${job}`, taskId: undefined });
    for (const [, id] of text.matchAll(/#(\d+) is (?:no longer|not) yours/g)) units.delete(`part-${id}`);
  }
  return [...units.values()];

  function add(id: string | undefined): void {
    if (id !== undefined) units.set(`part-${id}`, { label: `part-${id}`, taskId: Number(id) });
  }
}

function report({ turn }: Conversation, { name, random, persona }: PolicyContext): Answer {
  return say(random.chance(persona.habits.lazy) ? "I wait." : `Report of ${name}: done so far. (answer ${turn})`);
}
