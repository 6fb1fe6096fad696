/** Somebody who rests and can be put away: what it holds is given back, and had again when it is woken. */
interface Resting {
  putAway(): void;
}

/** So many agents that have finished stay as they are; they are the likeliest to be sent on. */
export const restingAsTheyAre = 16;

/** Puts those away that have rested longest, so that however many agents have finished, few of them hold anything. */
export function createRestingPlaces(most = restingAsTheyAre) {
  const resting = new Set<Resting>();
  return {
    rests(one: Resting) {
      resting.delete(one);
      resting.add(one);
      for (const longest of resting) {
        if (resting.size <= most) return;
        resting.delete(longest);
        longest.putAway();
      }
    },
    wakes: (one: Resting) => void resting.delete(one),
  };
}
