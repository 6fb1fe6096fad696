import type { FromHub, ToHub } from "./hub-messages.ts";

/** The connection to one page. */
export interface PagePort {
  send(message: FromHub): void;
  onMessage(listen: (message: ToHub) => void): void;
  close(): void;
}

export interface HubPorts {
  openSource(name: string, on: SourceListener): { close(): void };
  /** Resolves with false if the server refuses. */
  post(path: "/api/follow" | "/api/unfollow", body: unknown): Promise<boolean>;
  /** Resolves when the page that holds this lock is gone. */
  whenReleased(lock: string): Promise<void>;
  createName(): string;
}

interface SourceListener {
  onOpen(): void;
  onMessage(message: { readonly channel: string; readonly type: string; readonly data: string }): void;
  onBroken(): void;
}

interface Client {
  readonly port: PagePort;
  readonly request: Extract<ToHub, { kind: "follow" }>;
  /** Characters that were sent to the page and that it has not read yet. */
  unread: number;
}

interface Source {
  readonly name: string;
  isOpen: boolean;
  close(): void;
}

/** A page that falls this many characters behind is cut off. It comes back with its position. */
const mostUnread = 128 * 1024 * 1024;

/**
 * Shares one event stream between all pages: a browser opens at most six connections to a server. If the stream breaks,
 * every page is notified, and the first one that comes back opens it again.
 */
export function createStreamHub(ports: HubPorts): { connect(port: PagePort): void } {
  const clients = new Map<string, Client>();
  let source: Source | undefined;
  let count = 0;

  const closeSource = () => {
    source?.close();
    source = undefined;
  };
  const onBroken = () => {
    closeSource();
    for (const [channel, { port }] of clients) {
      clients.delete(channel);
      port.send({ kind: "broken" });
    }
  };
  const leave = (channel: string, isBroken = false) => {
    const client = clients.get(channel);
    if (!client) return;
    clients.delete(channel);
    if (isBroken) client.port.send({ kind: "broken" });
    if (clients.size === 0) closeSource();
    else if (source) void ports.post("/api/unfollow", { stream: source.name, channel });
  };
  const follow = async (channel: string, { session, after, summaries }: Client["request"]) => {
    const asked = source;
    if (!asked?.isOpen) return;
    const isFollowed = await ports.post("/api/follow", { stream: asked.name, channel, session, after, summaries });
    if (source !== asked) return;
    if (isFollowed) clients.get(channel)?.port.send({ kind: "open" });
    else leave(channel, true);
  };
  const openSource = () => {
    const name = ports.createName();
    const isCurrent = () => source?.name === name;
    const opened = ports.openSource(name, {
      onOpen() {
        if (!source || !isCurrent()) return;
        source.isOpen = true;
        for (const [channel, { request }] of clients) void follow(channel, request);
      },
      onMessage({ channel, type, data }) {
        const client = clients.get(channel);
        if (!client || !isCurrent()) return;
        if (type === "broken") return leave(channel, true);
        client.unread += data.length;
        if (client.unread > mostUnread) return leave(channel, true);
        client.port.send({ kind: "message", type, data });
      },
      onBroken: () => isCurrent() && onBroken(),
    });
    source = { name, isOpen: false, close: () => opened.close() };
  };

  return {
    connect(port) {
      count += 1;
      const channel = String(count);
      const end = () => {
        leave(channel);
        port.close();
      };
      port.onMessage((message) => {
        switch (message.kind) {
          case "follow":
            clients.set(channel, { port, request: message, unread: 0 });
            if (source) void follow(channel, message);
            else openSource();
            return;
          case "read": {
            const client = clients.get(channel);
            if (client) client.unread -= message.length;
            return;
          }
          case "locked":
            return void ports.whenReleased(message.lock).then(end);
          case "close":
            return end();
        }
      });
    },
  };
}
