/**
 * Makes every change of the value, or of anything in it, throw, also for maps, which `Object.freeze` does not cover.
 */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  if (value instanceof Map) {
    for (const method of ["set", "delete", "clear"]) {
      Object.defineProperty(value, method, {
        value: () => {
          throw new TypeError(`a frozen map was changed with ${method}`);
        },
      });
    }
    for (const [key, entry] of value) {
      deepFreeze(key);
      deepFreeze(entry);
    }
  }
  Object.freeze(value);
  for (const key of Reflect.ownKeys(value)) deepFreeze(value[key as keyof T]);
  return value;
}
