/** "4.85 times faster", "1.2 times slower". */
export function speedupWords(factor: number): string {
  const times = factor >= 1 ? factor : 1 / factor
  return `${Number(times.toPrecision(3))} times ${factor >= 1 ? 'faster' : 'slower'}`
}
