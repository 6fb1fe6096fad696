import type { Command as Program, Option } from "commander";

export type Shell = "bash" | "zsh" | "fish";

/** One command with its path of words, such as `sessions show`. The program itself has an empty path. */
interface Entry {
  readonly path: string;
  readonly about: string;
  readonly commands: readonly { readonly name: string; readonly about: string }[];
  readonly options: readonly Option[];
}

/** Returns a script that completes commands, options and their choices in this shell. It starts no process. */
export function completionScript(program: Program, shell: Shell): string {
  const entries = entriesOf(program);
  switch (shell) {
    case "bash":
      return bashScript(entries);
    case "zsh":
      return zshScript(entries);
    case "fish":
      return fishScript(entries);
  }
}

function entriesOf(command: Program, path = ""): Entry[] {
  const help = command.createHelp();
  const below = help.visibleCommands(command);
  const own: Entry = {
    path,
    about: command.description(),
    commands: below.map((each) => ({ name: each.name(), about: each.description() })),
    options: help.visibleOptions(command),
  };
  return [own, ...below.flatMap((each) => entriesOf(each, path === "" ? each.name() : `${path} ${each.name()}`))];
}

const flagsOf = ({ flags }: Option) => flags.split(/[ ,|]+/).filter((part) => part.startsWith("-"));

/** Options of a command whose value the next word is, with the words to offer. No words means a file. */
const valued = ({ options }: Entry) =>
  options
    .filter(({ required, optional }) => required || optional)
    .map((option) => ({ option, flags: flagsOf(option) }));

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

const intro = (shell: string, how: string) => `# Completion of troupe for ${shell}. ${how}\n`;

function bashScript(entries: readonly Entry[]): string {
  const choices = entries.flatMap((entry) =>
    valued(entry).map(
      ({ option, flags }) =>
        `    ${flags.map((flag) => quoted(`${entry.path}|${flag}`)).join("|")}) ${option.argChoices ? `words=${quoted(option.argChoices.join(" "))}` : "files=1"} ;;`,
    ),
  );
  const words = entries.map(({ path, commands, options }) => {
    const all = [...commands.map(({ name }) => name), ...options.flatMap(flagsOf)];
    return `    ${quoted(path)}) words=${quoted(all.join(" "))} ;;`;
  });
  const paths = entries.filter(({ path }) => path !== "").map(({ path }) => quoted(path));
  return `${intro("bash", "Add to ~/.bashrc: source <(troupe completion bash)")}_troupe() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} path= words= files= word next
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    next="\${path:+$path }$word"
    case "$next" in
      ${paths.join("|")}) path=$next ;;
    esac
  done
  case "$path|$previous" in
${choices.join("\n")}
  esac
  if [[ -z $words && -z $files ]]; then
    case "$path" in
${words.join("\n")}
    esac
  fi
  mapfile -t COMPREPLY < <(if [[ -n $words ]]; then compgen -W "$words" -- "$current"; fi)
  if [[ \${#COMPREPLY[@]} -eq 0 ]]; then compopt -o default 2>/dev/null; fi
}
complete -F _troupe troupe
`;
}

function zshScript(entries: readonly Entry[]): string {
  const described = (name: string, about: string) => quoted(`${name.replaceAll(":", "\\:")}:${about}`);
  const choices = entries.flatMap((entry) =>
    valued(entry).map(
      ({ option, flags }) =>
        `    ${flags.map((flag) => quoted(`${entry.path}|${flag}`)).join("|")}) ${option.argChoices ? `compadd -- ${option.argChoices.map(quoted).join(" ")}` : "_files"}; return ;;`,
    ),
  );
  const words = entries.map(({ path, commands, options }) => {
    const all = [
      ...commands.map(({ name, about }) => described(name, about)),
      ...options.flatMap((option) => flagsOf(option).map((flag) => described(flag, option.description))),
    ];
    return `    ${quoted(path)}) words=(${all.join(" ")}) ;;`;
  });
  const paths = entries.filter(({ path }) => path !== "").map(({ path }) => quoted(path));
  return `#compdef troupe
${intro("zsh", "Add to ~/.zshrc, after compinit: source <(troupe completion zsh)")}_troupe() {
  local path_= word next
  local -a words_
  for word in "\${(@)words[2,CURRENT-1]}"; do
    next="\${path_:+$path_ }$word"
    case "$next" in
      ${paths.join("|")}) path_=$next ;;
    esac
  done
  case "$path_|\${words[CURRENT-1]}" in
${choices.join("\n")}
  esac
  case "$path_" in
${words.join("\n").replaceAll(") words=(", ") words_=(")}
  esac
  _describe 'command or option' words_ || _files
}
compdef _troupe troupe
`;
}

function fishScript(entries: readonly Entry[]): string {
  const lines = entries.flatMap((entry) => {
    const when = quoted(`test "$(__troupe_path)" = ${JSON.stringify(entry.path)}`);
    const commands = entry.commands.map(
      ({ name, about }) => `complete -c troupe -n ${when} -f -a ${quoted(name)} -d ${quoted(about)}`,
    );
    const options = entry.options.map((option) => {
      const names = flagsOf(option).map((flag) =>
        flag.startsWith("--") ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`,
      );
      const value = option.argChoices ? ` -x -a ${quoted(option.argChoices.join(" "))}` : option.required ? " -r" : "";
      return `complete -c troupe -n ${when} ${names.join(" ")}${value} -d ${quoted(option.description)}`;
    });
    return [...commands, ...options];
  });
  const paths = entries.filter(({ path }) => path !== "").map(({ path }) => quoted(path));
  return `${intro("fish", "Save as ~/.config/fish/completions/troupe.fish")}function __troupe_path
  set -l path
  for word in (commandline -opc)[2..]
    set -l next (string join -- ' ' $path $word)
    if contains -- "$next" ${paths.join(" ")}
      set path $next
    end
  end
  string join -- ' ' $path
end
${lines.join("\n")}
`;
}
