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
  .describe("Files, or folders that end with a slash, relative to the team's folder or absolute. No patterns");

interface ReserveInput {
  readonly paths: readonly string[];
  readonly shared?: boolean | undefined;
  readonly minutes?: number | undefined;
  readonly why?: string | undefined;
}

/** Creates the tools that reserve files, so that two members do not change the same file. */
export function createReservationTools(member: () => ExternalMember, now: () => number): readonly Tool[] {
  return [reserve(member, now), release(member), list(member, now)];
}

function reserve(member: () => ExternalMember, now: () => number): Tool {
  return defineTool<ReserveInput>({
    name: "ReserveFiles",
    description: `Reserves files that you are going to change. The first member to reserve a file gets it; for the others the result names the member that has it. Reserve before you start, and release when you are done. A reservation is a notice to colleagues, not a lock: if a member that Troupe runs changes a file of yours, both of you are notified.`,
    input: z.strictObject({
      paths,
      shared: z.boolean().optional().describe("Others may also reserve them as shared"),
      minutes: z
        .int()
        .min(1)
        .max(480)
        .optional()
        .describe("Duration in minutes (default 30). Reserve again to extend it"),
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
          refused.push(`- ${asked}: patterns cannot be reserved. Name files, or a folder that ends with a slash.`);
          continue;
        }
        const mode = shared ? ("shared" as const) : ("exclusive" as const);
        const answer = await team.record.reserve({ path, by: name, mode, until, ...(why !== undefined && { why }) });
        if (answer.ok) granted.push(path);
        else refused.push(`- ${path}: ${heldByText(answer.held)}`);
      }
      const text = [
        ...(granted.length === 0 ? [] : [`Reserved for you until ${until}: ${granted.join(", ")}`]),
        ...(refused.length === 0
          ? []
          : ["Not reserved:", ...refused, "Work on something else, or ask the member that has the file."]),
      ].join("\n");
      return granted.length === 0 ? failedResult(text) : textResult(text);
    },
  });
}

function release(member: () => ExternalMember): Tool {
  return defineTool<{ paths?: readonly string[] | undefined }>({
    name: "ReleaseFiles",
    description: `Releases your reservations: these files, or all if you name none.`,
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
      return textResult(freed.length === 0 ? "You had not reserved any of these." : `Released: ${freed.join(", ")}`);
    },
  });
}

function list(member: () => ExternalMember, now: () => number): Tool {
  return defineTool<Record<string, never>>({
    name: "ListReservations",
    description: `Lists the reserved files with their members and expiry times.`,
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

/** The lead's folder. Paths of the team are relative to it. */
const rootOf = (team: ExternalMember["team"]) => team.record.current().members[0]?.cwd ?? "/";

/** Normalizes a path for comparison. Returns undefined for a pattern. */
export function reservationPath(asked: string, root: string): string | undefined {
  const folder = /\/\*\*?$/.test(asked) ? asked.replace(/\*+$/, "") : asked;
  if (/[*?[\]{}]/.test(folder)) return undefined;
  const path = normalize(folder);
  const inside = isAbsolute(path) ? relative(root, path) : path;
  const plain = inside === "" || inside === "." ? "./" : inside.startsWith("../") && isAbsolute(path) ? path : inside;
  return path.endsWith("/") && !plain.endsWith("/") ? `${plain}/` : plain;
}
