/** "4.85 times faster", "1.2 times slower", "as fast as before". */
export function speedupWords(factor: number): string {
  const times = Number(Math.max(factor, 1 / factor).toPrecision(3))
  return times === 1 ? 'as fast as before' : `${times} times ${factor > 1 ? 'faster' : 'slower'}`
}
