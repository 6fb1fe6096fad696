import { Suspense, useSyncExternalStore } from "react";
import { hrefOf, parseRoute, viewNames } from "./route.ts";
import { lazyViews } from "./views/lazy-views.ts";

export function App() {
  const hash = useSyncExternalStore(onHash, () => location.hash);
  const route = parseRoute(hash);
  if (route.kind !== "session") return <h1>Troupe</h1>;
  const View = lazyViews[route.view];
  return (
    <>
      <nav>
        {viewNames.map((name) => (
          <a key={name} href={hrefOf(route.session, name)}>
            {name}
          </a>
        ))}
      </nav>
      <main>
        <Suspense fallback={<p>Loading…</p>}>
          <View session={route.session} />
        </Suspense>
      </main>
    </>
  );
}

function onHash(changed: () => void): () => void {
  addEventListener("hashchange", changed);
  return () => removeEventListener("hashchange", changed);
}
