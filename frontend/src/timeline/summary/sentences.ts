import { LAYER_NAMES } from '../../charts/frame/words/layerNames'
import { ranksFromTo } from '../../charts/frame/words/ranksFromTo'
import { baseName, count, format, offsetWords, plural } from '../../format'
import type { Box } from '../box'
import type { CallColumns } from '../callColumns'
import type { HeatmapView, TraceSummary } from '../requests'
import { offsetsFromTo, type Rows } from '../rows'

type LayerTrace = TraceSummary['layers'][number]

export const NO_OST = 4_294_967_295
export const OST_NOT_KNOWN = 'OST not known'

/** One call, exactly: who, what, where, when, how fast. */
export function callInWords(calls: CallColumns, i: number, pathOf: (record: string) => string): string {
  const length = calls.length[i] ?? 0
  const offset = calls.offset[i] ?? -1
  const start = calls.start[i] ?? 0
  const lasts = (calls.end[i] ?? 0) - start
  const path = pathOf(calls.records[calls.record[i] ?? 0] ?? '')
  const at = offset < 0 ? 'at an offset that was not recorded' : `at offset ${offsetWords(offset)}`
  const first = calls.firstOst[i] ?? NO_OST
  const on = first === NO_OST ? '' : `, beginning on OST ${first}`
  const rate = lasts > 0 && length > 0 ? `, ${format(length / lasts, 'B/s')}` : ''
  const layer = calls.layer[i] === 1 ? 'MPI-IO' : 'POSIX'
  const way = calls.write[i] === 1 ? 'write' : 'read'
  return `Rank ${calls.rank[i] ?? 0}: ${layer} ${way} of ${format(length, 'B')} ${at} of ${baseName(path)}${on}, from ${start.toFixed(decimalsOf(lasts, 4))} s for ${format(lasts, 's')}${rate}.`
}

/** Times the mean, or the median, up to which nobody is singled out. */
const EVEN = 1.1

/** Of what lasts a smaller part of its time, three digits of when do not tell how long. */
const BRIEF = 0.1
const MINUTE_S = 60

/** With so many decimals a moment says when what lasts so long begins; `least` where that is no time at all. */
const decimalsOf = (lasts: number, least: number): number =>
  lasts > 0 ? Math.min(9, Math.max(least, 1 + Math.ceil(-Math.log10(lasts)))) : least

/** From when to when, with as many decimals as tell the two apart, and how long it is between them. */
export function span(from: number, to: number, and = 'to'): string {
  const [begins, ends] = [format(from, 's'), format(to, 's')]
  const long = begins !== ends && (to >= MINUTE_S || to - from >= BRIEF * to)
  if (long || to <= from) return `${begins} ${and} ${ends}`
  const decimals = decimalsOf(to - from, 0)
  return `${from.toFixed(decimals)} ${and} ${to.toFixed(decimals)} s`
}

/** Who is slowest, at one layer. */
export function slowestInWords(layer: LayerTrace): string {
  const [first] = layer.slowest
  const name = LAYER_NAMES[layer.layer]
  if (!first) return ''
  if (layer.ranks === 1)
    return `Rank ${first.rank} alone makes ${name} calls: ${format(first.time_s, 's')} in ${plural(layer.calls, 'call')}.`
  if (layer.median_time_s > 0 && first.time_s <= EVEN * layer.median_time_s)
    return `All ranks take about the same time in ${name} calls: rank ${first.rank}, the longest, ${format(first.time_s, 's')}.`
  const times =
    layer.median_time_s > 0
      ? `, ${format(first.time_s / layer.median_time_s, 'ratio')} the median rank's`
      : ''
  return `Rank ${first.rank} is slowest: it spends ${format(first.time_s, 's')} in ${name} calls${times} ${format(layer.median_time_s, 's')}.`
}

/** When its calls were, at one layer. */
export function whenInWords(layer: LayerTrace): string {
  const name = LAYER_NAMES[layer.layer]
  const moved = [
    layer.bytes_written > 0 ? `${format(layer.bytes_written, 'B')} written` : '',
    layer.bytes_read > 0 ? `${format(layer.bytes_read, 'B')} read` : '',
  ].filter(Boolean)
  const idle = layer.longest_idle
  const pause =
    idle && idle.to_s - idle.from_s > 0.02 * (layer.last_end_s - layer.first_start_s)
      ? ` The longest pause lasts ${format(idle.to_s - idle.from_s, 's')}, from ${span(idle.from_s, idle.to_s)}.`
      : ''
  const least = layer.partial ? ' at least' : ''
  const unknown = layer.partial
    ? ` The trace is not whole: after ${format(layer.last_end_s, 's')} nothing is known, and before it calls may be missing.`
    : ''
  return `${plural(layer.ranks, 'rank')} made${least} ${plural(layer.calls, `${name} call`)} between ${span(layer.first_start_s, layer.last_end_s, 'and')}: ${moved.join(', ') || 'no bytes'}.${pause}${unknown}`
}

/** Phases and who comes out of them late, at one layer. */
export function phasesInWords(layer: LayerTrace): string {
  const { phases, phases_total } = layer
  const name = LAYER_NAMES[layer.layer]
  if (layer.ranks < 2) return ''
  if (phases_total === 0) return `At no time is half of the ranks inside ${name} calls together.`
  const together = `In ${plural(phases_total, 'phase')} at least half of the ranks are inside ${name} calls together`
  const late = phases.filter((phase) => phase.straggler)
  const worst = late.toSorted((a, b) => b.late_s - a.late_s)[0]
  if (!worst) return `${together}; all ranks leave them alike.`
  const ranks = new Map<number, number>()
  for (const phase of late) ranks.set(phase.last_rank, (ranks.get(phase.last_rank) ?? 0) + 1)
  const [often] = [...ranks].sort((a, b) => b[1] - a[1])
  const again =
    often && often[1] > 1 && often[1] >= late.length / 2
      ? ` Rank ${often[0]} is last in ${count(often[1])} of them.`
      : ''
  return `${together}; in ${count(late.length)} the last rank leaves late: at worst rank ${worst.last_rank}, ${format(worst.late_s, 's')} after the middle one.${again}`
}

/** Who moved how much when, in the window. A last bin with bytes may end after the run does: of the `whole` of it no end is
 * given as a time. */
export function bytesInWords(view: HeatmapView, whole = false): string {
  const total = view.read.total + view.written.total
  const [rank] = view.busiest_ranks
  const [time] = view.busiest_times
  const name = LAYER_NAMES[view.layer]
  const when = whole ? 'in the whole run' : `from ${span(view.from_s, view.to_s)}`
  if (!rank || !time || total === 0) return `No bytes are moved at ${name} ${when} by these ranks.`
  const most = rank.read_bytes + rank.written_bytes
  const active =
    view.ranks_active === 1
      ? `rank ${rank.rank} alone moves ${format(total, 'B')}`
      : most <= (EVEN * total) / view.ranks_active
        ? `${count(view.ranks_active)} ranks move ${format(total, 'B')}, about ${format(total / view.ranks_active, 'B')} each`
        : `${count(view.ranks_active)} ranks move ${format(total, 'B')}, rank ${rank.rank} most, ${format(most / total, 'share')}`
  return `At ${name}, ${when}, ${active}; the busiest time is ${span(time.from_s, time.to_s)} with ${format(time.read_bytes + time.written_bytes, 'B')}.`
}

/** Which OSTs the calls put their bytes on, which one takes the time, and how far that is known. */
export function ostsInWords(summary: TraceSummary): string {
  const { osts, osts_total, bytes_without_ost, ost_layer } = summary
  const [slowest] = osts
  if (!slowest) return ''
  const known = summary.layers.find((layer) => layer.layer === ost_layer)
  const all = known ? known.bytes_read + known.bytes_written : 0
  const most = osts.reduce((a, b) => (heldBy(b) > heldBy(a) ? b : a))
  const share = all > bytes_without_ost ? heldBy(most) / (all - bytes_without_ost) : 0
  const on =
    osts_total === 1
      ? `on OST ${most.ost}`
      : share > 1.1 / osts_total
        ? `on ${count(osts_total)} OSTs, ${format(share, 'share')} of them on OST ${most.ost}`
        : `on ${count(osts_total)} OSTs alike`
  const rest =
    bytes_without_ost > 0 && all > 0
      ? `; of ${format(bytes_without_ost, 'B')}, ${format(bytes_without_ost / all, 'share')}, the OST is not known`
      : ''
  const middle = osts[Math.floor(osts.length / 2)]?.alone_s ?? 0
  const time =
    osts_total > 1 && middle > 0 && slowest.alone_s > 1.1 * middle
      ? ` Calls on OST ${slowest.ost} alone take most time, ${format(slowest.alone_s, 's')}; on the middle OST ${format(middle, 's')}.`
      : ''
  const how =
    ost_layer === 'MPIIO'
      ? ' POSIX calls were not traced: each MPI-IO call is taken for one piece, though with a file view it need not be.'
      : ''
  return `The bytes of the ${LAYER_NAMES[ost_layer]} calls lie ${on}${rest}.${time}${how}`
}

const heldBy = (one: TraceSummary['osts'][number]) => one.bytes_read + one.bytes_written

/** Where the selection lies. */
export function selectionInWords({ t0, t1, y0, y1 }: Box, { down, name }: Rows): string {
  const [first, last] = [Math.floor(y0), Math.max(Math.floor(y0), Math.ceil(y1) - 1)]
  const who =
    down === 'rank'
      ? ranksFromTo(first, last)
      : down === 'offset'
        ? offsetsFromTo(Math.max(0, y0), y1)
        : `calls of ${name(y1)} to ${name(y0)}`
  return `Selected: ${span(t0, t1)}, ${who}`
}
