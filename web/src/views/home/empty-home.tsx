import { CopyCommand } from "../../parts/copy-command.tsx";

/** Shown on a machine without sessions: three ways to begin. */
export function EmptyHome() {
  return (
    <section className="home home-empty" aria-labelledby="home-title">
      <h2 id="home-title">No sessions on this machine yet</h2>
      <p className="soft">Sessions appear here as soon as they start, also those that you start in a terminal.</p>
      <ul>
        <li>
          <h3>Watch the demo</h3>
          <p>A lead and three agents fix a bug, with scripted answers. It needs no key and takes about 30 seconds.</p>
          <CopyCommand command="troupe demo --web" />
        </li>
        <li>
          <h3>Start in your repository</h3>
          <p>Describe a task in the terminal. This page shows what the agents do, and asks you when they need you.</p>
          <CopyCommand command="troupe" />
        </li>
        <li>
          <h3>Read the tutorial</h3>
          <p>Four short pages: the first minute, your repository, your first team, and when something goes wrong.</p>
          <p>
            <a href="/docs/index.html" target="_blank" rel="noreferrer">
              Open the documentation
            </a>
          </p>
        </li>
      </ul>
    </section>
  );
}
