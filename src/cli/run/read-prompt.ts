import { fstatSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { TroupeError } from "../../protocol/index.ts";

export interface PromptSources {
  readonly words: string;
  readonly file: string | undefined;
  /** Undefined if stdin carries commands, not a prompt. */
  readonly stdin: NodeJS.ReadStream | undefined;
  readonly onNoInput: () => void;
}

/** Joins the prompt from the command line, the file and the pipe, in this order. Returns undefined if all are empty. */
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

/** An open pipe that stays silent this long is ignored, and only the other sources count. */
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
  return decode(Buffer.concat(chunks), "the standard input");
}

function isPiped(): boolean {
  try {
    const stat = fstatSync(0);
    return stat.isFIFO() || stat.isFile() || stat.isSocket();
  } catch (error) {
    if ((error as { code?: unknown }).code === "EBADF") return false; // stdin was closed at the start
    throw error;
  }
}

function decode(bytes: Buffer, what: string): string {
  const refuse = () =>
    new TroupeError(
      "prompt",
      `${what} is not text: use a UTF-8 text file, or name the file in the prompt so that the agent reads it`,
    );
  if (bytes.includes(0)) throw refuse();
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw refuse();
  }
}
