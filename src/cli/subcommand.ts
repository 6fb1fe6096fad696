import { type Command as Program, InvalidArgumentError } from "commander";

/**
 * Makes the action of a command. It loads the function when the command runs, and calls it with the command's arguments
 * and flags. The function may return the exit code.
 */
export type RunCommand = <Args extends unknown[]>(
  load: () => Promise<(...args: Args) => Promise<number | void>>,
) => (...args: [...Args, Program]) => Promise<void>;

/** Adds a subcommand whose usage errors are printed in one line. */
export function subcommand(parent: Program, name: string, description: string): Program {
  return oneLineErrors(parent.command(name).description(description));
}

/** Like `subcommand`, for the command that runs if none is named. */
export function defaultSubcommand(parent: Program, name: string, description: string): Program {
  return oneLineErrors(parent.command(name, { isDefault: true }).description(description));
}

/** Throws usage errors instead of printing them. */
export const oneLineErrors = (command: Program): Program =>
  command.exitOverride().configureOutput({ writeErr: () => undefined });

/** For repeatable options. */
export const collect = (text: string, before: readonly string[] = []) => [...before, text];

export function positiveNumber(text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0) throw new InvalidArgumentError("Give a number above 0");
  return value;
}

export function positiveInteger(text: string): number {
  const value = positiveNumber(text);
  if (!Number.isInteger(value)) throw new InvalidArgumentError("Give a whole number");
  return value;
}

export function portNumber(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value <= 65_535) return value;
  throw new InvalidArgumentError("Give a port: a whole number up to 65535");
}
