/** "4.85 times faster", "1.2 times slower", "as fast as before"; "13.9 to 16.2 times faster" where times are bounds, and it is
 * `most` at most. */
export function speedupWords(factor: number, most: number | null = null): string {
  const ends = [factor, ...(most === null ? [] : [most])].map((end) =>
    Number(Math.max(end, 1 / end).toPrecision(3)),
  )
  if (most === null && ends[0] === 1) return 'as fast as before'
  return `${[...new Set(ends)].join(' to ')} times ${factor > 1 ? 'faster' : 'slower'}`
}
