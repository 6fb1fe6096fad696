// The reference of error codes, from the doc comments of `TroupeErrorCode`.
import { declarationsOf, openSource } from "./doc-comments.mjs";
import { code, page, table } from "./markdown.mjs";

const file = "src/protocol/error.ts";

export function errorsPage() {
  const source = openSource(file);
  const [{ one }] = declarationsOf(source).get("TroupeErrorCode");
  const rows = one.typeAnnotation.types.map((member) => {
    const name = member.literal.value;
    const comment = source.commentOf(member);
    if (comment === "") throw new Error(`${file}: the code ${name} needs a doc comment: its cause, and what to do.`);
    return [code(name), comment];
  });
  return page("Error codes", {
    from: `\`${file}\``,
    intro:
      "An error that you can fix is a `TroupeError`. It has a `code` and one line of text. The text says what failed and what to do. From code, `TroupeError.is(error)` recognises it. [Exit codes](headless.md#exit-codes) tell scripts how a run ended.",
    parts: [
      table(
        ["code", "cause, and what to do"],
        rows.sort(([a], [b]) => (a < b ? -1 : 1)),
      ),
    ],
  });
}
