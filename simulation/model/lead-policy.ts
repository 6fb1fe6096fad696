import { guestName, leadName } from "../scenario.ts";
import { type Answer, type Call, call, type PolicyContext, say, sendMessage } from "./answer.ts";
import { type Conversation, openRequests } from "./read-request.ts";

/** Decides the lead's next answer: start the team, answer requests, give more work, end the team, answer the user. */
export function leadAnswer(conversation: Conversation, context: PolicyContext): Answer {
  const { persona, random } = context;
  const { habits } = persona;
  if (random.chance(habits.refusing)) return { kind: "refusal" };
  if (random.chance(habits.failing)) return { kind: "failure" };
  return (
    answerPlans(conversation, context) ??
    repeatLast(conversation, context) ??
    setUp(conversation, context) ??
    poll(conversation, context) ??
    landWork(conversation, context) ??
    giveMore(conversation, context) ??
    endTeam(conversation, context) ??
    lastAnswer(conversation, context)
  );
}

/** Shared with teammates: the same call again. */
export function repeatLast({ calls, news }: Conversation, { persona, random }: PolicyContext): Answer | undefined {
  const last = calls.at(-1);
  if (!last || news.length > 0 || last.name === "Agent" || !random.chance(persona.habits.repetitive)) return undefined;
  return call({ name: last.name, input: last.input });
}

/** Shared with teammates: look at the task list, but not for ever. */
export function poll({ looks, tools }: Conversation, { persona, random }: PolicyContext): Answer | undefined {
  if (!tools.has("TaskList") || looks > 3 || !random.chance(persona.habits.polling)) return undefined;
  return call({ name: "TaskList", input: {} });
}

function answerPlans(conversation: Conversation, { persona, random }: PolicyContext): Answer | undefined {
  const calls = openRequests(conversation).flatMap(({ id, from, kind, isAnsweredInWords }): Call[] => {
    if (kind !== "plan") return [];
    // A model that believes that it has answered does not answer again without a reminder.
    const isReminded = conversation.news.some((text) => text.includes(id));
    if (isAnsweredInWords && !isReminded) return [];
    if (!isReminded && random.chance(persona.habits.forgetful)) return [];
    if (random.chance(persona.habits.wordy)) return [sendMessage(from, "Looks good, plan approved. Go ahead.")];
    const approve = !random.chance(Math.max(0.1, persona.habits.stubborn));
    const message = { type: "plan_approval_response", request_id: id, approve };
    return [sendMessage(from, approve ? message : { ...message, feedback: "Say first how you check it." })];
  });
  return calls.length > 0 ? call(...calls) : undefined;
}

/** Creates the tasks and starts the members, in the order of the scenario, a few calls in each answer. */
function setUp(conversation: Conversation, context: PolicyContext): Answer | undefined {
  const { scenario, persona, random } = context;
  const tasks = nextTasks(conversation, context);
  const members = nextMembers(conversation, context);
  const [first, second] = scenario.tasksFirst ? [tasks, members] : [members, tasks];
  const wanted = [...first, ...second];
  if (wanted.length === 0) return undefined;
  if (conversation.turn > 1 && random.chance(persona.habits.hasty * 0.5)) return say("I have begun. More later.");
  if (random.chance(persona.habits.lazy * 0.3)) return say("That is enough to begin with.");
  return call(...wanted.slice(0, random.int(1, wanted.length)));
}

function nextTasks({ calls }: Conversation, { scenario, random }: PolicyContext): Call[] {
  const created = createdTasks(calls);
  const started = startedMembers(calls);
  const owned = new Set(
    calls.flatMap(({ name, input }) =>
      name === "TaskUpdate" && input["owner"] !== undefined ? [input["taskId"]] : [],
    ),
  );
  const wanted: Call[] = [];
  scenario.tasks.forEach((task, at) => {
    const id = created.get(task.subject);
    const owner = scenario.members[task.owner]?.name;
    const isEarly = scenario.assign === "owner" && scenario.earlyOwners;
    if (
      id === undefined &&
      !calls.some(({ name, input }) => name === "TaskCreate" && input["subject"] === task.subject)
    ) {
      const blockedBy = task.blockedBy.flatMap((index) => created.get(`Part ${index + 1}`) ?? []);
      wanted.push({
        name: "TaskCreate",
        input: {
          subject: task.subject,
          description: `Write the file part-${at + 1}.txt.`,
          ...(blockedBy.length > 0 && { blockedBy }),
          ...(isEarly && { owner }),
        },
      });
      // The number of the next task is easy to guess.
      if (scenario.assign === "owner" && !isEarly && owner !== undefined && started.has(owner) && random.chance(0.6))
        wanted.push({ name: "TaskUpdate", input: { taskId: created.size + wanted.filter(isCreate).length, owner } });
    } else if (
      scenario.assign === "owner" &&
      !isEarly &&
      id !== undefined &&
      owner !== undefined &&
      started.has(owner) &&
      !owned.has(id)
    )
      wanted.push({ name: "TaskUpdate", input: { taskId: id, owner } });
  });
  return wanted;
}

const isCreate = ({ name }: Call) => name === "TaskCreate";

function nextMembers({ calls }: Conversation, { scenario }: PolicyContext): Call[] {
  const asked = new Set(calls.flatMap(({ name, input }) => (name === "Agent" ? [input["name"]] : [])));
  const created = createdTasks(calls);
  return scenario.members.flatMap((member, index) => {
    if (asked.has(member.name)) return [];
    const own = scenario.tasks.flatMap((task) =>
      task.owner === index ? [`task #${created.get(task.subject) ?? task.subject}`] : [],
    );
    const first = scenario.tasks.find((task) => task.owner === index && created.has(task.subject));
    const task = scenario.assign === "prompt" && scenario.earlyOwners && first ? created.get(first.subject) : undefined;
    const work =
      scenario.tasks.length === 0 || (scenario.assign === "prompt" && own.length === 0)
        ? `Do job ${index + 1}0.`
        : scenario.assign === "prompt"
          ? `Do ${own.join(" and ")} of the list.`
          : "Work on the tasks of the list.";
    return [
      {
        name: "Agent",
        input: {
          description: `Work of ${member.name}`,
          prompt: `You are ${member.name}. ${work}`,
          name: member.name,
          subagent_type: member.type,
          ...(task !== undefined && { task }),
          ...(member.planRequired && { plan_mode_required: true }),
          ...(member.mode !== undefined && { mode: member.mode }),
          ...(member.worktree && { isolation: "worktree" }),
        },
      },
    ];
  });
}

/** Lands the branches that reports name, each a few times at most. */
function landWork({ news, calls, tools }: Conversation, { persona, random }: PolicyContext): Answer | undefined {
  const named = news.flatMap((text) => [...text.matchAll(/branch (troupe\/[\w-]+): [1-9]\d* commits? that/g)]);
  const tries = calls.filter(({ name }) => name === "Land").length;
  if (!tools.has("Land") || named.length === 0 || tries > 6 || random.chance(persona.habits.forgetful))
    return undefined;
  const known = [...new Set(named.map(([, branch]) => branch))];
  const branches = random.chance(persona.habits.confused) ? ["troupe/mallory-0000"] : known;
  return call({ name: "Land", input: { branches } });
}

/** Gives the next job to a member whose report has just come. */
function giveMore(
  { news, calls, turn }: Conversation,
  { scenario, persona, random }: PolicyContext,
): Answer | undefined {
  const given = calls.filter(
    ({ name, input }) => name === "SendMessage" && String(input["message"]).startsWith("Do job"),
  );
  if (given.length >= scenario.followUps) return undefined;
  const from = news.flatMap((text) => /teammate_id="([^"]+)"/.exec(text)?.[1] ?? []);
  if (from.length === 0) return undefined;
  const isForGuest = scenario.guestAtRecord !== undefined && random.fork(`guest ${turn}`).chance(0.5);
  const known = isForGuest ? guestName : random.pick(from);
  const to = random.chance(persona.habits.confused) ? random.pick(["Alice", "mallory", "lead", "bob"]) : known;
  return call(sendMessage(to, `Do job ${given.length + 1}.`));
}

function endTeam(conversation: Conversation, { scenario, persona, random }: PolicyContext): Answer | undefined {
  const { calls, heard, news } = conversation;
  if (scenario.ending === "answer" || random.chance(persona.habits.lazy)) return undefined;
  const started = startedMembers(calls);
  const reported = new Set(heard.flatMap((text) => /teammate_id="([^"]+)"/.exec(text)?.[1] ?? []));
  if (started.size === 0 || [...started].some((name) => !reported.has(name))) return undefined;
  const asked = new Set(
    calls.flatMap(({ name, input }) =>
      name === "SendMessage" && (input["message"] as { type?: string } | undefined)?.type === "shutdown_request"
        ? [String(input["to"])]
        : [],
    ),
  );
  const left = [...started].filter((name) => !asked.has(name));
  if (left.length > 0) return call(...left.map((name) => sendMessage(name, { type: "shutdown_request" })));
  const isNews = news.length > 0;
  const deleted = calls.some(({ name, isError }) => name === "TeamDelete" && !isError);
  const tries = calls.filter(({ name }) => name === "TeamDelete").length;
  return scenario.ending === "delete" && !deleted && isNews && tries < 4 && random.chance(0.7)
    ? call({ name: "TeamDelete", input: {} })
    : undefined;
}

/** The answer to the user, or words of waiting. It deletes tasks that are left, if it is not lazy. */
function lastAnswer(conversation: Conversation, { persona, random, scenario }: PolicyContext): Answer {
  const { calls, news, heard } = conversation;
  const open = news.flatMap((text) =>
    [...text.matchAll(/^#(\d+) \[(?:pending|in_progress)\]/gm)].map(([, id]) => Number(id)),
  );
  if (open.length > 0 && random.chance(0.3) && !random.chance(persona.habits.lazy))
    return call(
      ...open
        .slice(0, scenario.partialCleanUp ? 1 : open.length)
        .map((taskId) => ({ name: "TaskUpdate", input: { taskId, status: "deleted" } })),
    );
  if (random.chance(persona.habits.chatty) && scenario.members.length > 0 && calls.length < 40)
    return call(sendMessage(random.chance(0.3) ? "*" : random.pick(scenario.members).name, "How far are you?"));
  const started = startedMembers(calls);
  const waits = [...started].filter((name) => !heard.some((text) => text.includes(`teammate_id="${name}"`)));
  return say(
    waits.length > 0
      ? `I wait for ${waits.join(", ")}. (${leadName}, answer ${conversation.turn})`
      : `The work is done as far as I know. (${leadName}, answer ${conversation.turn})`,
  );
}

function createdTasks(calls: Conversation["calls"]): Map<string, number> {
  const created = new Map<string, number>();
  for (const { name, input, result, isError } of calls) {
    const id = name === "TaskCreate" && !isError ? /#(\d+)/.exec(result ?? "")?.[1] : undefined;
    if (id !== undefined) created.set(String(input["subject"]), Number(id));
  }
  return created;
}

const startedMembers = (calls: Conversation["calls"]): Set<string> =>
  new Set(
    calls.flatMap(({ name, input, isError, result }) =>
      name === "Agent" && !isError && result !== undefined ? [String(input["name"])] : [],
    ),
  );
