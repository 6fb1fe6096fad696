import { type RefObject, useEffect, useRef } from "react";

export interface Gestures {
  /** `x` is in pixels from the left of the lanes. */
  zoom(factor: number, x: number): void;
  pan(pixels: number): void;
  hover(at: { x: number; y: number } | undefined): void;
  click(at: { x: number; y: number }): void;
}

/** A press that moves less than this many pixels is a click. */
const still = 4;

/**
 * Wheel, drag and pinch over the lanes. The wheel zooms; if the lanes can scroll, it scrolls, and zooms with Ctrl or
 * the command key. Sideways or with Shift it pans.
 */
export function useGestures(lanes: RefObject<HTMLElement | null>, gestures: Gestures): void {
  const latest = useRef(gestures);
  latest.current = gestures;
  useEffect(() => {
    const element = lanes.current;
    if (!element) return;
    const gone = new AbortController();
    const { signal } = gone;
    const place = ({ clientX, clientY }: { clientX: number; clientY: number }) => {
      const { left, top } = element.getBoundingClientRect();
      return { x: clientX - left, y: clientY - top };
    };
    const onWheel = (event: WheelEvent) => {
      const isSideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
      const scrolls = element.closest(".timeline-scroll");
      const canScroll = scrolls !== null && scrolls.scrollHeight > scrolls.clientHeight + 1;
      if (!isSideways && canScroll && !event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
      if (isSideways) latest.current.pan((event.deltaX || event.deltaY) * unit);
      else latest.current.zoom(Math.exp(Math.max(-60, Math.min(60, event.deltaY * unit)) * 0.004), place(event).x);
    };
    const down = new Map<number, { x: number; y: number }>();
    let moved = 0;
    const onDown = (event: PointerEvent) => {
      if (event.button !== 0) return;
      if (down.size === 0) moved = 0;
      down.set(event.pointerId, place(event));
    };
    const onMove = (event: PointerEvent) => {
      const at = place(event);
      const before = down.get(event.pointerId);
      if (!before) {
        if (event.pointerType === "mouse") latest.current.hover(at);
        return;
      }
      const others = [...down].filter(([id]) => id !== event.pointerId).map(([, point]) => point);
      down.set(event.pointerId, at);
      moved += Math.abs(at.x - before.x) + Math.abs(at.y - before.y);
      if (moved > still && !element.hasPointerCapture(event.pointerId)) element.setPointerCapture(event.pointerId);
      const [other] = others;
      if (other) {
        const [was, is] = [Math.abs(before.x - other.x), Math.abs(at.x - other.x)];
        if (was > 8 && is > 8) latest.current.zoom(was / is, (at.x + other.x) / 2);
      } else if (moved > still) latest.current.pan(before.x - at.x);
    };
    const onUp = (event: PointerEvent) => {
      const wasDown = down.delete(event.pointerId);
      if (wasDown && event.type === "pointerup" && moved <= still) latest.current.click(place(event));
    };
    element.addEventListener("wheel", onWheel, { passive: false, signal });
    element.addEventListener("pointerdown", onDown, { signal });
    element.addEventListener("pointermove", onMove, { signal });
    element.addEventListener("pointerup", onUp, { signal });
    element.addEventListener("pointercancel", onUp, { signal });
    element.addEventListener("pointerleave", () => latest.current.hover(undefined), { signal });
    return () => gone.abort();
  }, [lanes]);
}
