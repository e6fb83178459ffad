/** "rank 3", "ranks 1008 to 1023": a rank is called by its number, whose digits stand together as in the logs. */
export const ranksFromTo = (first: number, last: number): string =>
  first === last ? `rank ${first}` : `ranks ${first} to ${last}`
