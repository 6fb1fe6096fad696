import * as z from "zod";
import type { WorkItemId } from "../../protocol/index.ts";

const subjectLimit = 300;
const textLimit = 50_000;
const metadataLimit = 20_000;

/** The texts of a task, which one tool sets and another changes. */
export const taskTexts = () => ({
  subject: z.string().trim().min(1).max(subjectLimit),
  description: z.string().max(textLimit),
  activeForm: z.string().max(subjectLimit).optional(),
});

/**
 * Accepts `1`, `"1"` and `"#1"`: models write all of them. The schema shows only text, which every model server
 * understands.
 */
export const taskNumber = () =>
  z.coerce.string().transform((given, context): WorkItemId => {
    if (given === "undefined") {
      context.addIssue({ code: "custom", message: "is missing: give the number of a task as TaskList shows it" });
      return z.NEVER;
    }
    const id = Number(/^\s*#?(\d{1,15})\s*$/.exec(given)?.[1] ?? Number.NaN);
    if (Number.isSafeInteger(id) && id > 0) return id;
    const message = given.startsWith("bg_")
      ? "is a background job, and not a task of the list. TaskList shows both"
      : 'is not the number of a task: write it as TaskList shows it, "1" or "#1"';
    context.addIssue({ code: "custom", message });
    return z.NEVER;
  });

/** The limits are not in the schema for models: two tools have it, and no model comes near them. */
export const acceptanceInput = () =>
  z
    .array(
      z.strictObject({
        command: z
          .string()
          .trim()
          .refine(({ length }) => length > 0 && length <= 2_000, "must have 1 to 2,000 characters"),
        timeoutMs: z
          .number()
          .refine((ms) => Number.isInteger(ms) && ms > 0 && ms <= 3_600_000, "must be a whole number up to 3,600,000")
          .optional(),
      }),
    )
    .max(10);

export const metadataInput = () =>
  z
    .looseObject({})
    .refine(
      (value) => JSON.stringify(value).length <= metadataLimit,
      `must be at most ${metadataLimit} characters as JSON`,
    );

export const taskNumbers = () => z.array(taskNumber()).max(100).optional();
