import { visibleText } from "../../view/index.ts";
import { readBoundedFile } from "../files/read-bounded-file.ts";

const sizeLimit = 40_000;

/**
 * Reads an instruction file up to a size limit. Characters that hide or reorder text become visible marks. `notice`
 * reports problems.
 */
export function readInstructionText(path: string): { text?: string; notice?: string } {
  const file = readBoundedFile(path, sizeLimit);
  if (file.kind === "absent") return {};
  if (file.kind === "unreadable") return { notice: `${path} is ignored: ${file.reason}` };
  if (file.bytes.includes(0)) return { notice: `${path} is ignored: it is not a text file` };

  const isCut = file.size > file.bytes.length;
  const decoded = new TextDecoder("utf-8").decode(isCut ? wholeCharacters(file.bytes) : file.bytes);
  const shown = visibleText(decoded).replaceAll("\r\n", "\n");
  const text = isCut
    ? `${shown}\n[The rest of ${path} is cut off: these are the first ${sizeLimit} of ${file.size} bytes.]`
    : shown;
  const faults = [
    ...(isCut ? [`only the first ${sizeLimit} of ${file.size} bytes are used`] : []),
    ...(decoded.includes("\ufffd") ? ["it is not valid UTF-8; invalid bytes are replaced"] : []),
    ...(shown === decoded.replaceAll("\r\n", "\n")
      ? []
      : ["it has hidden characters, which are replaced by visible marks"]),
  ];
  return faults.length === 0 ? { text } : { text, notice: `${path}: ${faults.join("; ")}` };
}

/** Drops the last character if the cut went through it. */
function wholeCharacters(bytes: Uint8Array): Uint8Array {
  let end = bytes.length;
  while (end > 0 && end > bytes.length - 4 && ((bytes[end - 1] ?? 0) & 0xc0) === 0x80) end--;
  const lead = bytes[end - 1] ?? 0;
  return lead < 0x80 ? bytes : bytes.subarray(0, end - 1);
}
