interface Props<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly options: Readonly<Record<NoInfer<T>, string>>;
  onChange(value: NoInfer<T>): void;
}

/** A choice of a few options, as a row of buttons. */
export function ChoiceGroup<T extends string>({ label, value, options, onChange }: Props<T>) {
  return (
    <div className="segments" role="group" aria-label={label}>
      {(Object.entries(options) as [T, string][]).map(([key, words]) => (
        <button key={key} type="button" aria-pressed={key === value} onClick={() => onChange(key)}>
          {words}
        </button>
      ))}
    </div>
  );
}
