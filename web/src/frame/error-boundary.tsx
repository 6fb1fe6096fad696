import { Component, type ReactNode } from "react";

interface Props {
  /** The part that failed, as the beginning of a sentence. */
  readonly about: string;
  readonly children: ReactNode;
}

/** Shows an error for a part that cannot be drawn, and keeps the rest of the page working. */
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
        <h2>{this.props.about} could not be displayed</h2>
        <p>
          This does not affect the agents: they continue, and their logs are complete. Try again; if the error stays,
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
