import { visibleText } from "../../view/index.ts";
import { readBoundedFile } from "../files/read-bounded-file.ts";

const sizeLimit = 40_000;

/**
 * The text of an instruction file, bounded, with nothing in it that a reader of the file would not see: characters that hide
 * or reorder text are turned into marks. `notice` says what is not as it should be.
 */
export function readInstructionText(path: string): { text?: string; notice?: string } {
  const file = readBoundedFile(path, sizeLimit);
  if (file.kind === "absent") return {};
  if (file.kind === "unreadable") return { notice: `${path} is left out: ${file.reason}` };
  if (file.bytes.includes(0)) return { notice: `${path} is left out: it is not a text file` };

  const isCut = file.size > file.bytes.length;
  const decoded = new TextDecoder("utf-8").decode(isCut ? wholeCharacters(file.bytes) : file.bytes);
  const shown = visibleText(decoded).replaceAll("\r\n", "\n");
  const text = isCut
    ? `${shown}\n[The rest of ${path} is left out: the first ${sizeLimit} of its ${file.size} bytes are above.]`
    : shown;
  const faults = [
    ...(isCut ? [`only the first ${sizeLimit} of its ${file.size} bytes are used`] : []),
    ...(decoded.includes("\ufffd") ? ["it is not all UTF-8; what is not is replaced"] : []),
    ...(shown === decoded.replaceAll("\r\n", "\n") ? [] : ["it has hidden characters, which are shown as marks"]),
  ];
  return faults.length === 0 ? { text } : { text, notice: `${path}: ${faults.join("; ")}` };
}

/** Without the character that the cut went through. */
function wholeCharacters(bytes: Uint8Array): Uint8Array {
  let end = bytes.length;
  while (end > 0 && end > bytes.length - 4 && ((bytes[end - 1] ?? 0) & 0xc0) === 0x80) end--;
  const lead = bytes[end - 1] ?? 0;
  return lead < 0x80 ? bytes : bytes.subarray(0, end - 1);
}
