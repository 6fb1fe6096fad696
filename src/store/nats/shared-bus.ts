import type { Bus } from "./bus.ts";

/** One connection for all who need it at a time; it ends with the last of them, so that nothing keeps a process alive. */
export interface SharedBus {
  use<T>(action: (bus: Bus) => Promise<T>): Promise<T>;
  /** The action, or whatever it gives, calls `letGo` when it needs it no more; if it throws, that is done for it. */
  keep<T>(action: (bus: Bus, letGo: () => Promise<void>) => Promise<T>): Promise<T>;
}

export function createShared(connect: () => Promise<Bus>): SharedBus {
  let connecting: Promise<Bus> | undefined;
  let holders = 0;

  const keep: SharedBus["keep"] = async (action) => {
    holders += 1;
    let isHeld = true;
    const letGo = async () => {
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
      return await action(await connecting, letGo);
    } catch (error) {
      await letGo();
      throw error;
    }
  };

  return {
    keep,
    use: (action) =>
      keep(async (bus, letGo) => {
        const result = await action(bus);
        await letGo();
        return result;
      }),
  };
}
