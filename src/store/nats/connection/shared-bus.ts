import type { Bus } from "./bus.ts";

/** One connection for all current users. It closes with the last of them, so that nothing keeps the process alive. */
export interface SharedBus {
  use<T>(action: (bus: Bus) => Promise<T>): Promise<T>;
  /**
   * The action, or its result, calls `release` when it no longer needs the bus. If the action throws, this happens
   * automatically.
   */
  keep<T>(action: (bus: Bus, release: () => Promise<void>) => Promise<T>): Promise<T>;
}

export function createSharedBus(connect: () => Promise<Bus>): SharedBus {
  let connecting: Promise<Bus> | undefined;
  let holders = 0;

  const keep: SharedBus["keep"] = async (action) => {
    holders += 1;
    let isHeld = true;
    const release = async () => {
      if (!isHeld) return;
      isHeld = false;
      holders -= 1;
      if (holders > 0) return;
      const last = connecting;
      connecting = undefined;
      await (await last?.catch(() => undefined))?.close();
    };
    try {
      connecting ??= connect();
      return await action(await connecting, release);
    } catch (error) {
      await release();
      throw error;
    }
  };

  return {
    keep,
    use: (action) =>
      keep(async (bus, release) => {
        const result = await action(bus);
        await release();
        return result;
      }),
  };
}
