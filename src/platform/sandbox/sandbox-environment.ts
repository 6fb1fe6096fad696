/**
 * The environment of a sandboxed process: no secrets, no access to an agent, bus or daemon outside, and its own
 * temporary folder. It makes git avoid optional writes.
 */
export function sandboxEnvironment(env: Readonly<Record<string, string>>): Record<string, string> {
  const kept = Object.entries(env).filter(
    ([name]) => !isSecret(name) && !socketVariables.has(name) && !/_proxy$/i.test(name),
  );
  return { ...Object.fromEntries(kept), TMPDIR: "/tmp", TMP: "/tmp", TEMP: "/tmp", GIT_OPTIONAL_LOCKS: "0" };
}

/** `GIT_CONFIG_KEY_0` is the name of a git setting, not a key. */
const isSecret = (name: string) =>
  !name.startsWith("GIT_CONFIG_KEY_") && /(KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?)(_|$)/i.test(name);

const socketVariables = new Set([
  "SSH_AUTH_SOCK",
  "SSH_AGENT_PID",
  "GPG_AGENT_INFO",
  "DBUS_SESSION_BUS_ADDRESS",
  "DBUS_SYSTEM_BUS_ADDRESS",
  "XDG_RUNTIME_DIR",
  "DISPLAY",
  "WAYLAND_DISPLAY",
  "XAUTHORITY",
  "DOCKER_HOST",
  "CONTAINER_HOST",
  "CONTAINERD_ADDRESS",
  "KUBECONFIG",
  "TMUX",
  "STY",
  "VSCODE_IPC_HOOK_CLI",
  "VSCODE_GIT_IPC_HANDLE",
  "GIT_ASKPASS",
  "SSH_ASKPASS",
]);
