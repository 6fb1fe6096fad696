import { isAbsolute, normalize, relative } from "node:path";
import * as z from "zod";
import type { Reservation } from "../protocol/index.ts";
import { heldReservations } from "../store/index.ts";
import { defineTool, failedResult, textResult, type Tool } from "../tool/index.ts";
import type { ExternalMember } from "./external-member.ts";

const own = () => ({ kind: "own" as const });
const paths = z
  .array(z.string().trim().min(1).max(1000))
  .min(1)
  .max(100)
  .describe("Files, or folders with a slash at the end; relative to the team's folder, or absolute. No patterns");

interface ReserveInput {
  readonly paths: readonly string[];
  readonly shared?: boolean | undefined;
  readonly minutes?: number | undefined;
  readonly why?: string | undefined;
}

/** What members tell each other about files with, so that nobody works on what another one is changing. */
export function createReservationTools(member: () => ExternalMember, now: () => number): readonly Tool[] {
  return [reserve(member, now), release(member), list(member, now)];
}

function reserve(member: () => ExternalMember, now: () => number): Tool {
  return defineTool<ReserveInput>({
    name: "ReserveFiles",
    description: `Says that you are going to change these files. The first who reserves a file has it; you are told who has one that you do not get. Reserve before you begin, release when you are done. It is a word among colleagues, not a lock: members that Troupe runs are told when they change a file of yours, and so are you.`,
    input: z.strictObject({
      paths,
      shared: z.boolean().optional().describe("Others may reserve them too if they say the same"),
      minutes: z.int().min(1).max(480).optional().describe("How long; 30 if left out. Reserve again to go on"),
      why: z.string().max(500).optional(),
    }),
    access: "write",
    subject: own,
    title: ({ paths: wanted }) => `ReserveFiles ${wanted.join(" ")}`,
    async execute({ paths: wanted, shared, minutes = 30, why }) {
      const { team, name } = member();
      const until = new Date(now() + minutes * 60_000).toISOString();
      const granted: string[] = [];
      const refused: string[] = [];
      for (const asked of wanted) {
        const path = reservationPath(asked, rootOf(team));
        if (path === undefined) {
          refused.push(`- ${asked}: patterns are not reserved; name files, or a folder with a slash at its end`);
          continue;
        }
        const mode = shared ? ("shared" as const) : ("exclusive" as const);
        const answer = await team.record.reserve({ path, by: name, mode, until, ...(why !== undefined && { why }) });
        if (answer.ok) granted.push(path);
        else refused.push(`- ${path}: ${heldByText(answer.held)}`);
      }
      const text = [
        ...(granted.length === 0 ? [] : [`Yours until ${until}: ${granted.join(", ")}`]),
        ...(refused.length === 0 ? [] : ["Not reserved:", ...refused, "Work on something else, or ask who has it."]),
      ].join("\n");
      return granted.length === 0 ? failedResult(text) : textResult(text);
    },
  });
}

function release(member: () => ExternalMember): Tool {
  return defineTool<{ paths?: readonly string[] | undefined }>({
    name: "ReleaseFiles",
    description: `Gives back what you have reserved: these files, or everything if you name none.`,
    input: z.strictObject({ paths: paths.optional() }),
    access: "write",
    subject: own,
    title: () => "ReleaseFiles",
    async execute({ paths: given }) {
      const { team, name } = member();
      const asked = given?.map((path) => reservationPath(path, rootOf(team)) ?? path);
      const before = mine(team.record.current().reservations, name);
      const after = mine((await team.record.free(name, asked)).reservations, name);
      const freed = before.filter((path) => !after.includes(path));
      return textResult(freed.length === 0 ? "Nothing of that was yours." : `Released: ${freed.join(", ")}`);
    },
  });
}

function list(member: () => ExternalMember, now: () => number): Tool {
  return defineTool<Record<string, never>>({
    name: "ListReservations",
    description: `Which files are reserved, by whom and until when.`,
    input: z.strictObject({}),
    access: "read",
    subject: own,
    title: () => "ListReservations",
    async execute() {
      const held = heldReservations(await member().team.record.read(), new Date(now()).toISOString());
      return textResult(
        held.length === 0 ? "Nothing is reserved." : held.map((one) => `- ${one.path}: ${heldByText(one)}`).join("\n"),
      );
    },
  });
}

const mine = (all: readonly Reservation[] = [], name: string) =>
  all.filter(({ by }) => by === name).map(({ path }) => path);

const heldByText = ({ by, until, mode, why }: Reservation) =>
  `${by} has it until ${until}${mode === "shared" ? ", shared" : ""}${why === undefined ? "" : ` (${why})`}`;

/** The lead's folder: what paths of the team are relative to. */
const rootOf = (team: ExternalMember["team"]) => team.record.current().members[0]?.cwd ?? "/";

/** In the one form in which paths are compared; undefined for what is not one path. */
export function reservationPath(asked: string, root: string): string | undefined {
  const folder = /\/\*\*?$/.test(asked) ? asked.replace(/\*+$/, "") : asked;
  if (/[*?[\]{}]/.test(folder)) return undefined;
  const path = normalize(folder);
  const inside = isAbsolute(path) ? relative(root, path) : path;
  const plain = inside === "" || inside === "." ? "./" : inside.startsWith("../") && isAbsolute(path) ? path : inside;
  return path.endsWith("/") && !plain.endsWith("/") ? `${plain}/` : plain;
}
