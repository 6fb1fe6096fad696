/** Focuses the field of a form that was sent, unless the user has moved the focus. */
export function refocus(field: HTMLInputElement | HTMLTextAreaElement | null): void {
  const at = document.activeElement;
  const isSubmit = at instanceof HTMLButtonElement && at.type === "submit" && at.form === field?.form;
  if (isSubmit || at === document.body || at === null) field?.focus();
}
