import { useEffect, useRef, useState } from "react";
import type { Passage } from "../../../../src/view/index.ts";
import type { RosterEntry } from "../../state/roster.ts";
import { type Aliases, pointOn, type Road, roadId } from "./roads.ts";

/** A message under way along a road. */
export interface Flight {
  readonly id: string;
  readonly road: string;
  readonly from: string;
  readonly color: RosterEntry["color"];
}

const flightMs = 1_400;
const steps = 16;
/** What is older when it is first seen was not just said. */
const freshMs = 4_000;
const maxFlights = 40;

/** What has been said since the last look, as flights; those that have arrived are taken out with `land`. */
export function useFlights(recent: readonly Passage[], roster: readonly RosterEntry[], scene: Scene) {
  const [flights, setFlights] = useState<readonly Flight[]>([]);
  const seen = useRef("");
  const { now, aliases } = scene;
  useEffect(() => {
    const last = seen.current;
    const latest = recent.at(-1);
    if (!latest || latest.id === last) return;
    seen.current = latest.id;
    const fresh = recent.slice(recent.findLastIndex(({ id }) => id === last) + 1).flatMap((passage): Flight[] => {
      const at = passage.sentAt ?? passage.receivedAt ?? 0;
      const [from, to] = [aliases.get(passage.from), aliases.get(passage.to)];
      if (Math.abs(now() - at) > freshMs || from === undefined || to === undefined || from === to) return [];
      const color = roster.find(({ key }) => key === from)?.color;
      return [{ id: passage.id, road: roadId(from, to), from, color }];
    });
    if (fresh.length === 0) return;
    // A replay that is wound back has the same said again.
    const ids = new Set(fresh.map(({ id }) => id));
    setFlights((flying) => [...flying.filter(({ id }) => !ids.has(id)), ...fresh].slice(-maxFlights));
  }, [recent, roster, now, aliases]);
  const land = (id: string) => setFlights((flying) => flying.filter((flight) => flight.id !== id));
  return { flights, land };
}

export interface Scene {
  readonly aliases: Aliases;
  now(): number;
}

/** A dot that moves along its road once. Who wants no motion sees its road light up instead, which the road does itself. */
export function FlyingDot({ flight, road, onLanded }: { flight: Flight; road: Road; onLanded: (id: string) => void }) {
  const dot = useRef<SVGCircleElement>(null);
  const { id, from } = flight;
  // Where it flies is settled when it starts: a road that moves meanwhile does not hold it up.
  // oxlint-disable-next-line react-hooks/exhaustive-deps
  useEffect(() => {
    const isBack = road.to.entry.key === from;
    const frames = Array.from({ length: steps + 1 }, (_, step) => {
      const share = step / steps;
      const { x, y } = pointOn(road, isBack ? 1 - share : share);
      return { transform: `translate(${x}px, ${y}px)` };
    });
    const flying = dot.current?.animate(frames, { duration: flightMs, easing: "ease-in-out", fill: "both" });
    if (!flying) return;
    flying.addEventListener("finish", () => onLanded(id));
    return () => flying.cancel();
  }, [id]);
  return <circle ref={dot} className="flight" data-color={flight.color} r={5} />;
}
