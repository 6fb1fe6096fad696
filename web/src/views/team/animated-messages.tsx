import { useEffect, useRef, useState } from "react";
import type { Message } from "../../../../src/view/index.ts";
import type { RosterEntry } from "../../state/roster.ts";
import { type Aliases, pointOn, type GraphEdge, edgeId } from "./graph-edges.ts";

/** A message that moves along an edge. */
export interface AnimatedMessage {
  readonly id: string;
  readonly edge: string;
  readonly from: string;
  readonly color: RosterEntry["color"];
}

const animationMs = 1_400;
const steps = 16;
/** Messages older than this when first seen are not animated. */
const freshMs = 4_000;
const maxAnimatedMessages = 40;

/** Animates the messages since the last call. Finished ones are removed with `removeAnimated`. */
export function useAnimatedMessages(
  recent: readonly Message[],
  roster: readonly RosterEntry[],
  scene: AnimationContext,
) {
  const [flights, setFlights] = useState<readonly AnimatedMessage[]>([]);
  const seen = useRef("");
  const { now, aliases } = scene;
  useEffect(() => {
    const last = seen.current;
    const latest = recent.at(-1);
    if (!latest || latest.id === last) return;
    seen.current = latest.id;
    const fresh = recent
      .slice(recent.findLastIndex(({ id }) => id === last) + 1)
      .flatMap((passage): AnimatedMessage[] => {
        const at = passage.sentAt ?? passage.receivedAt ?? 0;
        const [from, to] = [aliases.get(passage.from), aliases.get(passage.to)];
        if (Math.abs(now() - at) > freshMs || from === undefined || to === undefined || from === to) return [];
        const color = roster.find(({ key }) => key === from)?.color;
        return [{ id: passage.id, edge: edgeId(from, to), from, color }];
      });
    if (fresh.length === 0) return;
    // A replay that is rewound sends the same messages again.
    const ids = new Set(fresh.map(({ id }) => id));
    setFlights((animation) => [...animation.filter(({ id }) => !ids.has(id)), ...fresh].slice(-maxAnimatedMessages));
  }, [recent, roster, now, aliases]);
  const removeAnimated = (id: string) => setFlights((animation) => animation.filter((animated) => animated.id !== id));
  return { flights, land: removeAnimated };
}

export interface AnimationContext {
  readonly aliases: Aliases;
  now(): number;
}

/** A dot that moves along its edge once. With reduced motion, the edge lights up instead. */
export function MessageDot({
  animated,
  edge,
  onDone,
}: {
  animated: AnimatedMessage;
  edge: GraphEdge;
  onDone: (id: string) => void;
}) {
  const dot = useRef<SVGCircleElement>(null);
  const { id, from } = animated;
  // The path is fixed at the start: an edge that moves during the animation does not change it.
  // oxlint-disable-next-line react-hooks/exhaustive-deps
  useEffect(() => {
    const isBack = edge.to.entry.key === from;
    const frames = Array.from({ length: steps + 1 }, (_, step) => {
      const share = step / steps;
      const { x, y } = pointOn(edge, isBack ? 1 - share : share);
      return { transform: `translate(${x}px, ${y}px)` };
    });
    const animation = dot.current?.animate(frames, { duration: animationMs, easing: "ease-in-out", fill: "both" });
    if (!animation) return;
    animation.addEventListener("finish", () => onDone(id));
    return () => animation.cancel();
  }, [id]);
  return <circle ref={dot} className="flight" data-color={animated.color} r={5} />;
}
