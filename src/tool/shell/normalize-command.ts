const globalOptionsWithValue: Readonly<Record<string, RegExp>> = {
  git: /^(-c|-C|--git-dir|--work-tree|--namespace|--exec-path|--config-env|--super-prefix)$/,
  npm: /^(--prefix|-C|--workspace|-w|--userconfig|--registry|--loglevel)$/,
  pnpm: /^(--dir|-C|--filter|-F|--workspace)$/,
  yarn: /^(--cwd)$/,
  cargo: /^(-C|--config|--color|--manifest-path|-Z)$/,
  docker: /^(--context|-c|--host|-H|--config|--log-level|-l)$/,
  kubectl: /^(--context|--namespace|-n|--kubeconfig|--cluster|-s|--server)$/,
  gh: /^(-R|--repo)$/,
};

/** Removes the options between a command's name and its subcommand: `git -C x push` becomes `git push`. */
export function normalizeCommand(values: readonly (string | undefined)[]): (string | undefined)[] | undefined {
  const [name] = values;
  const takesValue =
    name !== undefined && Object.hasOwn(globalOptionsWithValue, name) ? globalOptionsWithValue[name] : undefined;
  if (!takesValue) return undefined;
  let at = 1;
  while (at < values.length && values[at]?.startsWith("-")) at += takesValue.test(values[at] ?? "") ? 2 : 1;
  return at === 1 ? undefined : [name, ...values.slice(at)];
}
