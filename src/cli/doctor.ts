export async function doctor(_flags: { json?: boolean }): Promise<number> {
  return 0;
}
