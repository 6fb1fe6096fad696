import { fstatSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { TroupeError } from "../../protocol/index.ts";

export interface PromptSources {
  readonly words: string;
  readonly file: string | undefined;
  /** Undefined when standard input carries commands, not a prompt. */
  readonly stdin: NodeJS.ReadStream | undefined;
  readonly onNoInput: () => void;
}

/** Everything said on the command line, in a file and through a pipe, in this order. Undefined when nothing was said. */
export async function readPrompt(sources: PromptSources): Promise<string | undefined> {
  const parts = [
    sources.words,
    sources.file === undefined ? "" : await readPromptFile(sources.file),
    sources.stdin === undefined ? "" : await readPiped(sources.stdin, sources),
  ];
  const prompt = parts.filter((part) => part.trim() !== "").join("\n\n");
  return prompt === "" ? undefined : prompt;
}

async function readPromptFile(file: string): Promise<string> {
  let bytes: Buffer;
  try {
    bytes = await readFile(file);
  } catch (error) {
    throw new TroupeError("prompt", `cannot read the prompt file ${file}: ${(error as Error).message}`, {
      cause: error,
    });
  }
  return decode(bytes, `the prompt file ${file}`);
}

/** How long an open pipe may stay silent before the prompt on the command line is taken to be all there is. */
const noInputMs = 3_000;

async function readPiped(stdin: NodeJS.ReadStream, { words, file, onNoInput }: PromptSources): Promise<string> {
  if (!isPiped()) return "";
  const chunks: Buffer[] = [];
  const hasPrompt = words.trim() !== "" || file !== undefined;
  const timer = hasPrompt
    ? setTimeout(() => {
        onNoInput();
        stdin.destroy();
      }, noInputMs)
    : undefined;
  try {
    for await (const chunk of stdin) {
      clearTimeout(timer);
      chunks.push(chunk as Buffer);
    }
  } catch (error) {
    if ((error as { code?: unknown }).code !== "ERR_STREAM_PREMATURE_CLOSE") throw error;
  } finally {
    clearTimeout(timer);
  }
  return decode(Buffer.concat(chunks), "standard input");
}

function isPiped(): boolean {
  try {
    const stat = fstatSync(0);
    return stat.isFIFO() || stat.isFile() || stat.isSocket();
  } catch (error) {
    if ((error as { code?: unknown }).code === "EBADF") return false; // started with standard input closed
    throw error;
  }
}

function decode(bytes: Buffer, what: string): string {
  const refuse = () =>
    new TroupeError(
      "prompt",
      `${what} is not text: give a UTF-8 text file, or name the file in the prompt for the agent to read`,
    );
  if (bytes.includes(0)) throw refuse();
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw refuse();
  }
}
