import type { AgentColor } from "../../../protocol/index.ts";
import type { TmuxCommand, TmuxGroup } from "./encode-commands.ts";

/**
 * Shows the agent's name on the pane border, in its color. Names are stored in options and inserted with `#{@…}`,
 * because tmux would run `#(…)` in a title it is given directly.
 */
export function paneStyleCommands(
  target: string,
  style: { readonly title: string; readonly color?: AgentColor },
): TmuxGroup {
  const set = (name: string, value: string): TmuxCommand => ["set-option", "-p", "-t", target, name, value];
  return [
    set("@troupe_title", cleanTitle(style.title)),
    set("@troupe_color", style.color === undefined ? "default" : colors[style.color]),
    set("remain-on-exit", "off"),
    ["select-pane", "-t", target, "-T", "#{@troupe_title}"],
    ["rename-window", "-t", target, "#{@troupe_title}"],
  ];
}

/** Settings of a Troupe server. `-q` skips options that an older tmux does not know; the last two are the newest. */
export function serverStyleCommands(label: string): TmuxGroup {
  const global = (name: string, value: string): TmuxCommand => ["set-option", "-gq", name, value];
  return [
    global("@troupe_label", cleanTitle(label)),
    global("remain-on-exit", "off"),
    global("destroy-unattached", "off"),
    global("default-size", "200x50"),
    global("allow-rename", "off"),
    global("automatic-rename", "off"),
    global("mouse", "on"),
    global("history-limit", "20000"),
    global("status-style", "bg=colour236,fg=colour252"),
    global("status-left", " Troupe: agents of #{@troupe_label}  "),
    global("status-left-length", "80"),
    global("status-right", " closing a pane ends its agent; C-b d leaves "),
    global("status-right-length", "60"),
    global("pane-border-status", "top"),
    global("pane-border-format", border),
    global("pane-border-style", "fg=#{?#{@troupe_id},#{@troupe_color},default}"),
    global("pane-active-border-style", "fg=#{?#{@troupe_id},#{@troupe_color},default},bold"),
  ];
}

const border = "#{?#{@troupe_id},#[fg=#{@troupe_color}]#[bold] #{@troupe_title} #[default], #{pane_title} }";

/**
 * The border of one pane, for a window whose options belong to the user. Needs tmux 3.3; older versions show no name.
 */
export const ownBorder = (target: string): TmuxCommand => [
  "set-option",
  "-pq",
  "-t",
  target,
  "pane-border-format",
  border,
];

const colors: Readonly<Record<AgentColor, string>> = {
  red: "red",
  blue: "blue",
  green: "green",
  yellow: "yellow",
  purple: "magenta",
  orange: "colour208",
  pink: "colour205",
  cyan: "cyan",
};

/** A short single line without styles. tmux reads `#` as a style even in inserted text. */
export function cleanTitle(text: string): string {
  const line = text
    .replace(/#/g, "")
    .replace(/[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]+/gu, " ")
    .trim();
  return Array.from(line).slice(0, titleLength).join("") || "agent";
}

const titleLength = 60;
