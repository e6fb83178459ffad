import { count, format, plural } from '../../format'
import { EVEN, layerInWords } from '../frame/words/rankWords'
import { nameOf, type Reduced, type Use } from './rankUse'

/** Of a collective file who calls, and below who touches the storage. */
export function endsSentence(use: Use, nprocs: number | null): string {
  const first = use.reduced[0]
  if (!first) return ''
  const others = use.reduced_total > 1 ? ` ${plural(use.reduced_total - 1, 'more file')} like it.` : ''
  if (nprocs === 1) return `Of ${nameOf(first)}, the one rank takes ${format(first.slowest_s, 's')}.${others}`
  const records = use.reduced.filter(({ file }) => file === first.file)
  const [top = '', ...below] = records.map((record) =>
    records.length > 1
      ? ` at ${layerInWords(record.layer)} ${endsWords(record, 'takes longest', 'the longest')}`
      : ` ${endsWords(record, 'is the slowest', 'the slowest')}`,
  )
  const deeper = below.map((words) => `;${words}`).join('')
  const between = records.every(isReduced) ? ' The ranks between are not recorded.' : ''
  return `Of ${nameOf(first)},${top}${deeper}.${between}${others}`
}

/** Who takes longest at one of several layers need not be the job's slowest rank, and is not called so. */
function endsWords(
  { ranks, slowest_rank, slowest_s, fastest_rank, fastest_s }: Reduced,
  does: string,
  is: string,
): string {
  const slow = `rank ${slowest_rank}`
  if (fastest_s !== null && slowest_s <= EVEN * fastest_s)
    return `the ${ranks === null ? '' : `${count(ranks)} `}ranks take about the same time: ${slow}, ${is}, ${format(slowest_s, 's')}`
  const fast =
    fastest_rank !== null && fastest_s !== null
      ? `, against ${format(fastest_s, 's')} of rank ${fastest_rank}, the fastest`
      : ''
  const of = ranks === null ? '' : ` of ${count(ranks)} ranks`
  return `${slow} ${does}${of}: ${format(slowest_s, 's')}${fast}`
}

/** Of the ranks Darshan kept no more than the two ends. */
export const isReduced = ({ ranks }: Reduced) => ranks === null
