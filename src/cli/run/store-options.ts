import type { Command as Program } from "commander";

/** Adds the options that say where teams are stored. */
export const addStoreOptions = (command: Program): Program =>
  command
    .option("--bus <url>", "bus that carries the teams, instead of files: nats://host:4222")
    .option("--team-store <kind>", teamStoreHelp);

export const teamStoreHelp = "format of the team files: troupe, or claude for Claude Code";
