import { Component, type ReactNode } from "react";

interface Props {
  /** What has failed, as the beginning of a sentence. */
  readonly about: string;
  readonly children: ReactNode;
}

/** What cannot be drawn says so and what to do, and leaves the rest of the page alone. */
export class ErrorBoundary extends Component<Props, { readonly error: Error | undefined }> {
  override state: { readonly error: Error | undefined } = { error: undefined };

  static getDerivedStateFromError(error: unknown) {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (!error) return this.props.children;
    return (
      <section className="broken" role="alert">
        <h2>{this.props.about} could not be drawn</h2>
        <p>
          The agents are not touched by this: they go on, and their logs are whole. Try it again; if it stays like this,
          reload the page, or use the terminal (<code>troupe sessions</code>).
        </p>
        <pre>{error.message}</pre>
        <p className="buttons">
          <button type="button" className="primary" onClick={() => this.setState({ error: undefined })}>
            Try again
          </button>
          <button type="button" onClick={() => location.reload()}>
            Reload the page
          </button>
        </p>
      </section>
    );
  }
}
