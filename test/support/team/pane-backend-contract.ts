import { expect, test } from "vitest";
import type { Member, TmuxPane } from "../../../src/protocol/index.ts";
import type { Backend } from "../../../src/team/index.ts";

/** One terminal server, real or in memory. */
export interface PanePlace {
  /** The backend of a lead, closed at the end of the test. */
  openBackend(): Backend;
  readonly cwd: string;
  /** Resolves when the program of this member runs, with a function that tells whether it still does. */
  programOf(name: string): Promise<() => boolean>;
  /** The user closes the pane. */
  closePane(pane: TmuxPane): Promise<void>;
}

/** The promises of a backend with panes. */
export function testPaneBackend(open: () => Promise<PanePlace>): void {
  const member = ({ cwd }: PanePlace, name: string): Member => ({
    agentId: `${name}@team`,
    name,
    color: "cyan",
    joinedAt: "2026-01-01T00:00:00.000Z",
    tmuxPaneId: "",
    cwd,
    subscriptions: [],
    backendType: "tmux",
  });

  const paneOf = ({ pane }: { readonly pane?: TmuxPane | undefined }): TmuxPane => {
    if (pane === undefined) throw new Error("the member has no pane");
    return pane;
  };

  test("a killed member is gone, without a problem, and can be killed again", async () => {
    const place = await open();
    const running = await place.openBackend().start(member(place, "a"));
    const isRunning = await place.programOf("a");
    expect(isRunning()).toBe(true);
    await running.kill();
    expect(await running.ended).toBeUndefined();
    expect(isRunning()).toBe(false);
    await running.kill();
  });

  test("closing a pane by hand ends its member only", async () => {
    const place = await open();
    const backend = place.openBackend();
    const [one, other] = [await backend.start(member(place, "a")), await backend.start(member(place, "b"))];
    const [isOneRunning, isOtherRunning] = [await place.programOf("a"), await place.programOf("b")];
    await place.closePane(paneOf(one));
    expect(await one.ended).toBe("its pane is gone");
    expect([isOneRunning(), isOtherRunning()]).toEqual([false, true]);
    await other.kill();
  });

  test("a resumed lead finds exactly the members that still run", async () => {
    const place = await open();
    const first = place.openBackend();
    const pane = paneOf(await first.start(member(place, "a")));
    const isRunning = await place.programOf("a");
    await first.close();
    expect(isRunning()).toBe(true);

    const second = place.openBackend();
    expect(await second.attach(member(place, "a"))).toBeUndefined();
    expect(await second.attach({ ...member(place, "a"), pane: { ...pane, mark: "f".repeat(32) } })).toBeUndefined();
    const again = await second.attach({ ...member(place, "a"), pane });
    expect(again?.pane).toEqual(pane);
    await again?.kill();
    expect(isRunning()).toBe(false);
    expect(await second.attach({ ...member(place, "a"), pane })).toBeUndefined();
  });
}
