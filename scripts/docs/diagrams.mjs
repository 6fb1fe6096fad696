// The content of the diagrams.
import { graph, sequence, stack } from "./draw.mjs";

export const lifeOfAMessage = () =>
  sequence("Life of a message", {
    actors: ["sender", "inbox file", "receiver's log", "receiver's model"],
    messages: [
      { from: "sender", to: "inbox file", text: "stored, signed: queued" },
      { from: "inbox file", to: "receiver's log", text: "read by its reader" },
      { from: "receiver's log", to: "inbox file", text: "marked: delivered", back: true },
      { from: "receiver's log", to: "receiver's model", text: "in the next request" },
      { from: "receiver's log", to: "inbox file", text: "log synced, marked: read", back: true },
    ],
  });

export const permissionQuestion = () =>
  sequence("A teammate asks for permission", {
    actors: ["teammate", "lead's session", "you"],
    messages: [
      { from: "teammate", to: "lead's session", text: "may I run this?" },
      { from: "lead's session", to: "you", text: "question, with its name" },
      { from: "you", to: "lead's session", text: "yes, once", back: true },
      { from: "lead's session", to: "teammate", text: "signed answer", back: true },
      { from: "teammate", to: "teammate", text: "runs exactly this call" },
    ],
  });

export const statesOfATask = () =>
  graph("States of a task", {
    width: 800,
    height: 200,
    boxes: [
      { text: "pending", at: [80, 100] },
      { text: "in progress", at: [300, 100] },
      { text: "completed", at: [520, 100] },
      { text: "verified", at: [730, 100], width: 100 },
    ],
    arrows: [
      { path: "M140 92H238", text: "claim", at: [188, 84] },
      { path: "M240 110H142", text: "release, or death", at: [190, 132], back: true },
      { path: "M360 92H458", text: "reported done", at: [410, 84] },
      { path: "M520 118C520 170 300 170 300 120", text: "a check fails: refuted", at: [410, 178], back: true },
      { path: "M580 100H678", text: "checks pass", at: [630, 92] },
      { path: "M520 82C520 20 80 20 80 80", text: "reopened", at: [300, 30], back: true },
    ],
  });

export const layers = () =>
  stack("The layers: imports go down only", [
    ["6 frontends", "cli, tui, headless, web-server, acp, mcp-server"],
    ["5 session, remote", "builds a session; agents on other machines"],
    ["4 team", "subagents, teams, mail, tasks, worktrees, landing"],
    ["3 agent", "one agent: loop, requests, compaction"],
    ["2 model, store, tool", "siblings that never import each other"],
    ["1 platform", "clock, ids, files, processes, git"],
    ["0 protocol, view", "pure data and pure folds; also in the browser (web/)"],
  ]);
