// Runs in a browser, in a hostile page. Tries everything that such a page can try.

/** Sends the command with a form of this page. */
globalThis.submitForm = ({ target, type, posted }) => {
  const form = document.createElement("form");
  Object.assign(form, { method: "POST", action: `${target}/api/command`, enctype: type });
  const input = document.createElement("input");
  Object.assign(input, { name: posted.slice(0, -2), value: posted.slice(-2) });
  form.append(input);
  document.body.append(form);
  form.submit();
};

/** Each attempt and its result: `refused` where the browser saw an error. */
globalThis.tryAll = async ({ target, posted, session }) => {
  const headers = { "content-type": "application/json" };
  const credentials = "include";
  const send = async (init) =>
    (await fetch(`${target}/api/command`, { method: "POST", body: posted, credentials, ...init })).type;
  const attempts = {
    json: () => send({ headers }),
    text: () => send({}),
    "no-cors": () => send({ mode: "no-cors" }),
    beacon: async () =>
      navigator.sendBeacon(`${target}/api/command`, new Blob([posted], { type: "text/plain" })) && "sent",
    read: async () => (await fetch(`${target}/api/transcript?session=${session}`, { credentials })).text(),
    picture: () => loads(new Image(), `${target}/api/events`),
    script: () => loads(document.createElement("script"), `${target}/assets/app-abc.js`),
    stream: () => opens(new EventSource(`${target}/api/events`, { withCredentials: true })),
    socket: () => opens(new WebSocket(`${target.replace("http", "ws")}/api/events`)),
  };
  const tried = Object.entries(attempts).map(async ([name, attempt]) => [name, await attempt().catch(() => "refused")]);
  return Object.fromEntries(await Promise.all(tried));
};

/** The part of the page that is visible through a frame. */
globalThis.lookThroughFrame = (target) =>
  new Promise((resolve) => {
    const frame = document.createElement("iframe");
    frame.addEventListener("load", () => resolve(frame.contentDocument?.title ?? "closed to us"));
    frame.src = `${target}/`;
    document.body.append(frame);
  });

const loads = (element, source) =>
  new Promise((resolve, reject) => {
    element.addEventListener("load", () => resolve("loaded"));
    element.addEventListener("error", reject);
    element.src = source;
    document.body.append(element);
  });

const opens = (source) =>
  new Promise((resolve, reject) => {
    source.addEventListener("open", () => resolve("open"));
    source.addEventListener("error", reject);
  });
