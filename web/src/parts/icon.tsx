/** Small line icons, 16 by 16, in the colour of the text. */
const paths = {
  logo: "M8 2.5a2 2 0 1 1 0 4 2 2 0 0 1 0-4ZM8 6.5V9M8 9l-3.5 2.2M8 9l3.5 2.2M3.5 10.6a1.6 1.6 0 1 1 0 3.2 1.6 1.6 0 0 1 0-3.2ZM12.5 10.6a1.6 1.6 0 1 1 0 3.2 1.6 1.6 0 0 1 0-3.2Z",
  summary: "M4 2.5h8v11H4ZM6 5.5h4M6 8h4M6 10.5h2.5",
  team: "M6 3a2.2 2.2 0 1 1 0 4.4A2.2 2.2 0 0 1 6 3ZM1.8 13c.3-2.6 1.9-4 4.2-4s3.9 1.4 4.2 4M10.5 3.3a2 2 0 0 1 0 3.9M11.8 9.3c1.5.5 2.2 1.8 2.4 3.7",
  timeline: "M2 4h6M5 8h8M3.5 12h5M11 12h2.5",
  transcript: "M3 3h10v8H7l-3 2.5V11H3ZM5.5 6h5M5.5 8.3h3",
  tasks: "M2.5 4l1.2 1.2L6 3M8.5 4.3h5M2.5 8.5l1.2 1.2L6 7.5M8.5 8.8h5M3 13h2M8.5 13h5",
  mail: "M2 4h12v8.5H2ZM2 4.5l6 4.5 6-4.5",
  approvals: "M8 2l5 2v4c0 3-2 5-5 6-3-1-5-3-5-6V4ZM5.8 8l1.6 1.6L10.4 6.5",
  cost: "M2.5 13.5h11M4 11V8M7 11V4.5M10 11V6.5M13 11V3",
  worktrees:
    "M4.5 2.8a1.5 1.5 0 1 1 0 3 1.5 1.5 0 0 1 0-3ZM4.5 5.8v4.4M4.5 10.2a1.5 1.5 0 1 1 0 3 1.5 1.5 0 0 1 0-3ZM11.5 3.8a1.5 1.5 0 1 1 0 3 1.5 1.5 0 0 1 0-3ZM11.5 6.8c0 2.5-4 1.8-6.5 3.5",
  replay: "M3 8a5 5 0 1 0 1.6-3.7L3 5.8M3 2.8v3h3M8 5.5V8l2 1.2",
  search: "M7 2.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9ZM10.5 10.5 14 14",
  sun: "M8 5.2a2.8 2.8 0 1 1 0 5.6 2.8 2.8 0 0 1 0-5.6ZM8 1.5v1.5M8 13v1.5M1.5 8H3M13 8h1.5M3.4 3.4l1 1M11.6 11.6l1 1M12.6 3.4l-1 1M4.4 11.6l-1 1",
  moon: "M13 9.7A5.5 5.5 0 0 1 6.3 3 5.5 5.5 0 1 0 13 9.7Z",
  auto: "M8 2.5a5.5 5.5 0 1 1 0 11ZM8 2.5a5.5 5.5 0 0 0 0 11",
  bell: "M4 11V7.5a4 4 0 0 1 8 0V11l1 1.2H3ZM6.8 13.8h2.4",
  keys: "M2 4.5h12v7.5H2ZM4.3 7h.1M6.8 7h.1M9.2 7h.1M11.7 7h.1M5 9.5h6",
  close: "M4 4l8 8M12 4l-8 8",
  panel: "M2.5 3h11v10h-11ZM9.5 3v10",
  play: "M5 3.5v9l7.5-4.5Z",
  pause: "M5 3.5v9M11 3.5v9",
  back: "M10 3.5 5.5 8l4.5 4.5",
  next: "M6 3.5 10.5 8 6 12.5",
  book: "M3 3h4c.6 0 1 .5 1 1v9c0-.6-.4-1-1-1H3ZM13 3H9c-.6 0-1 .5-1 1v9c0-.6.4-1 1-1h4Z",
} as const;
export type IconName = keyof typeof paths;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="glyph" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}
