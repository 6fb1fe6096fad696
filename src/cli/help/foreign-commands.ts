/**
 * Words that other command lines use as commands, with what to do in Troupe. None of them becomes a prompt, because a
 * prompt costs money.
 */
export const foreignCommands: Readonly<Record<string, string>> = {
  auth: "Set ANTHROPIC_API_KEY or OPENAI_API_KEY, then run 'troupe doctor'.",
  chat: "Run 'troupe' without words.",
  clear: "Type /clear in a session.",
  commit: "Say what to commit: troupe 'commit my changes with a short message'.",
  compact: "Type /compact in a session.",
  completions: "Run 'troupe completion bash', 'zsh' or 'fish'.",
  config: "Settings are in .troupe/settings.json. 'troupe schema settings' lists the keys.",
  configure: "Settings are in .troupe/settings.json. 'troupe schema settings' lists the keys.",
  continue: "Run 'troupe --continue'.",
  exec: "Run 'troupe -p \"task\"'.",
  exit: "Type /exit in a session.",
  init: "Run troupe 'describe this repository in AGENTS.md'. Agents read that file at each start.",
  install: "Troupe is installed. 'troupe doctor' checks what is missing.",
  list: "Run 'troupe sessions list'.",
  login: "Set ANTHROPIC_API_KEY or OPENAI_API_KEY, then run 'troupe doctor'.",
  logout: "Unset ANTHROPIC_API_KEY or OPENAI_API_KEY.",
  memory: "Edit AGENTS.md. Agents read it at each start.",
  model: "Run 'troupe --model MODEL', or type /model in a session.",
  models: "Run 'troupe --model MODEL', or type /model in a session.",
  plan: "Run 'troupe --permission-mode plan'.",
  resume: "Run 'troupe --resume' to choose a session, or 'troupe --continue' for the newest.",
  review: "Say what to review: troupe 'review my uncommitted changes'.",
  run: "Run 'troupe -p \"task\"'.",
  serve: "Run 'troupe web' for the dashboard, or 'troupe acp' for an editor.",
  session: "Run 'troupe sessions list'.",
  setup: "Run 'troupe doctor'. It says what is missing.",
  start: "Run 'troupe' without words.",
  status: "Run 'troupe doctor'.",
  teams: "Run 'troupe team list'.",
  uninstall: "Run 'npm uninstall -g troupe'.",
  update: "Run 'npm install -g troupe@latest'.",
  upgrade: "Run 'npm install -g troupe@latest'.",
  usage: "Run 'troupe cost'.",
  version: "Run 'troupe --version'.",
};

/** Foreign commands that take an argument and that no prompt starts with, as in `login anthropic`. */
export const foreignWithArgument: ReadonlySet<string> = new Set(["auth", "completions", "config", "login", "logout"]);
