import * as z from "zod";
import { AllowedPath, Member, Reservation, SessionId, Team } from "../../../protocol/index.ts";

const written = { at: z.string() };
const MemberChange = Member.omit({ agentId: true, name: true, joinedAt: true, ended: true }).partial();

/** A stored request to change a team record. */
export const TeamEntry = z.discriminatedUnion("do", [
  /** `key` is the skeleton of its name. A second name with the same skeleton is refused. */
  z.object({ do: z.literal("join"), ...written, key: z.string(), member: Member }),
  z.object({
    do: z.literal("change"),
    ...written,
    name: z.string(),
    patch: MemberChange.extend({ ended: z.null().optional() }),
  }),
  z.object({ do: z.literal("end"), ...written, name: z.string(), ended: Member.shape.ended.unwrap() }),
  z.object({
    do: z.literal("team"),
    ...written,
    patch: z.object({
      description: z.string().optional(),
      leadSessionId: SessionId.optional(),
      hiddenPaneIds: z.array(z.string()).optional(),
    }),
  }),
  z.object({ do: z.literal("allow"), ...written, path: AllowedPath }),
  z.object({ do: z.literal("reserve"), ...written, reservation: Reservation }),
  /** Without paths it frees everything that the member holds. */
  z.object({ do: z.literal("free"), ...written, by: z.string(), paths: z.array(z.string()).optional() }),
  /** Also for `user`. The first key is final: no process can later claim to be another member. */
  z.object({
    do: z.literal("key"),
    ...written,
    name: z.string(),
    publicKey: z.string(),
    /** For a member on workers: the lead's endorsement. Each is numbered, so that none can be used twice. */
    voucher: z.object({ number: z.number().int().positive(), signature: z.string() }).optional(),
  }),
]);
export type TeamEntry = z.infer<typeof TeamEntry>;

export const TeamSnapshot = z.object({ team: Team, keys: z.array(z.tuple([z.string(), z.string()])) });
