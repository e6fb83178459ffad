import { format } from '../../../format'

/** When the first and the last byte moved. What was timed may end a little after the run, by another clock: then the run's
 * end is named, and no time that other places give otherwise. */
export function movesInWords(from_s: number, to_s: number, run_s: number): string {
  const [last, whole] = [format(to_s, 's'), format(run_s, 's')]
  const until =
    to_s > run_s || last === whole ? `the end of the run, ${whole}` : `${last} of the run's ${whole}`
  return `Bytes move from ${format(from_s, 's')} to ${until}`
}
