/** For `--bus`: what is said there holds for this process and for those it starts, as if the variable had been set. */
export function useBus(url: string): string {
  process.env["TROUPE_BUS"] = url;
  return url;
}
