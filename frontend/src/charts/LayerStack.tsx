import { useId } from 'react'
import type { CaseDocument } from '../analysis/caseDocument'
import { aboutRanks, baseName, capital, count, format, orNotRecorded } from '../format'
import { defineChart, type MissingEvidence } from './frame/chart'
import { DARSHAN } from './frame/evidence'
import { groupLinks, groupsAmong } from './frame/groups'
import { grownAtAll, growthWords } from './frame/growth'
import { Hatch } from './frame/Hatch'
import { useMarks } from './frame/linked'
import css from './frame/marks.module.css'
import { haveMost, isOne, moversWords, secondsOf } from './frame/words/rankWords'
import { LayerBytes } from './layers/LayerBytes'
import { LayerRanks } from './layers/LayerRanks'
import { LayerTime } from './layers/LayerTime'
import {
  type Beyond,
  bytesOf,
  FIRST_LINE,
  type Layer,
  type Part,
  SECOND_LINE,
  type Stack,
} from './layers/stack'

const UNDER: Record<Layer['layer'], string> = {
  HDF5: 'dataset calls',
  PnetCDF: 'variable calls',
  'MPI-IO': 'library calls',
  DFS: 'DAOS file calls',
  DAOS: 'object calls',
  POSIX: 'system calls',
  STDIO: 'buffered calls',
}
const ORDER: Layer['layer'][] = ['HDF5', 'PnetCDF', 'MPI-IO', 'DFS', 'DAOS', 'POSIX', 'STDIO']
/** Layers whose bytes POSIX calls carry on; those of the others never reach them. */
const ABOVE_POSIX: ReadonlySet<Layer['layer']> = new Set(['HDF5', 'PnetCDF', 'MPI-IO'])

function read(document: CaseDocument): Stack | MissingEvidence {
  const layers = document.charts.layers
    .filter((layer) => layer.bytes_read || layer.bytes_written || layer.calls || secondsOf(layer))
    .sort((a, b) => ORDER.indexOf(a.layer) - ORDER.indexOf(b.layer))
  const { growth } = document.charts
  if (layers.length > 0)
    return {
      layers,
      nprocs: document.job.nprocs,
      active: new Map(
        document.charts.ranks?.series.flatMap(({ layer, active, partial }) =>
          partial ? [] : [[layer, active] as const],
        ),
      ),
      growth,
      beyond: beyond(layers, document),
      overlap: layers.some((layer) => overlaps(layer, document)),
      links: groupLinks(document),
    }
  return {
    missing: "No layer of the job's I/O is recorded with its bytes and times.",
    needs: DARSHAN,
  }
}

const overlaps = (layer: Layer, { account }: CaseDocument): boolean =>
  !!account?.slowest && (secondsOf(layer) ?? 0) > 1.01 * account.slowest.most_s

/** As the account of the time has it; null where MPI-IO has none, or one of the two layers is not there. */
function beyond(layers: readonly Layer[], { account }: CaseDocument): Beyond | null {
  const both = ['MPI-IO', 'POSIX'].every((name) => layers.some(({ layer }) => layer === name))
  if (!both || account?.basis !== 'Darshan' || account.cells.exchange <= 0) return null
  return { exchange: account.cells.exchange, library: account.cells.library }
}

function sentence({ layers, nprocs, active, growth, beyond: gap }: Stack): string {
  const most = ({ layer, ranks }: Layer) =>
    ranks !== null && haveMost({ movers: ranks, active: active.get(layer) ?? null, ranks: nprocs })
      ? 'most of '
      : ''
  const top = layers[0]
  if (!top) return ''
  const lower = ABOVE_POSIX.has(top.layer) ? layers.find((l) => l.layer === 'POSIX') : undefined
  const who = top.ranks === null ? 'The job' : capital(moversWords({ movers: top.ranks, ranks: nprocs }))
  const amount = bytesOf(top)
  const start = `${who} ${top.ranks === null || isOne(top.ranks) ? 'hands' : 'hand'} ${most(top)}${amount === null ? 'its bytes' : `${top.partial ? 'at least ' : ''}${format(amount, 'B')}`} to ${top.layer}`
  const above = secondsOf(top)
  if (!lower)
    return `${start}${above === null ? '' : `, in ${format(above, 's')}${nprocs === 1 ? '' : ' of the mean rank'}`}.`
  const pass =
    lower.ranks === null
      ? 'they pass'
      : `${moversWords({ movers: lower.ranks, ranks: null })} ${isOne(lower.ranks) ? 'passes' : 'pass'} ${most(lower)}them`
  const below = secondsOf(lower)
  const times =
    gap !== null && below !== null
      ? ` ${nprocs === 1 ? 'S' : 'Of the mean rank, s'}torage calls take ${format(below, 's')}, and ${format(gap.exchange, 's')} more pass in MPI-IO${gap.library > 0 ? `, ${format(gap.library, 's')} in HDF5 or PnetCDF` : ''}.`
      : ''
  return `${start}; ${pass} to the file system.${growthWords(growth)}${times}`
}

const ROW = 70
/** Of one rank there is no mean. */
const timeHead = ({ nprocs }: Stack) => (nprocs === 1 ? 'time' : 'time, mean rank')
const headsOf = (stack: Stack) => ['who', 'bytes', timeHead(stack)] as const
function Plot({ data, width }: { data: Stack; width: number }) {
  const id = useId()
  const hatch = (kind: 'waiting' | 'missing' | 'grown') => `url(#${id}${kind})`
  const narrow = width < 700
  const parts: readonly Part[] = [LayerRanks, LayerBytes, LayerTime]
  const rows = data.layers.length
  const mark = useMarks()
  const heads = headsOf(data)
  const defs = (
    <defs>
      <Hatch id={`${id}grown`} colour="var(--bg)" stroke={1.6} gap={5} />
      <Hatch id={`${id}waiting`} colour="var(--waiting)" />
      <Hatch id={`${id}missing`} colour="var(--line-strong)" stroke={1.2} gap={6} />
    </defs>
  )
  if (narrow) {
    const block = rows * ROW + 24
    return (
      <svg viewBox={`0 0 ${width} ${3 * block - 8}`} height={3 * block - 8}>
        <title>Layers</title>
        {defs}
        {parts.map((part, p) => (
          <g key={heads[p]} transform={`translate(0 ${p * block})`}>
            <text className={css.strong} y={10}>
              {heads[p]}
            </text>
            {data.layers.map((layer, i) => (
              <g key={layer.layer}>
                <text className={css.soft} y={20 + FIRST_LINE + i * ROW}>
                  {layer.layer}
                </text>
                <g transform={`translate(52 ${20 + i * ROW})`}>
                  {part({ layer, stack: data, width: width - 52, hatch, mark })}
                </g>
              </g>
            ))}
          </g>
        ))}
      </svg>
    )
  }
  const label = 84
  const who = Math.min(330, width * 0.34)
  const rest = width - label - who
  const columns = [
    { x: label, width: who - 20 },
    { x: label + who, width: rest * 0.42 - 24 },
    { x: label + who + rest * 0.42, width: rest * 0.58 },
  ]
  const height = 22 + rows * ROW - 10
  return (
    <svg viewBox={`0 0 ${width} ${height}`} height={height}>
      <title>Layers</title>
      {defs}
      {columns.map((column, c) => (
        <text key={heads[c]} className={css.soft} x={column.x} y={10}>
          {heads[c]}
        </text>
      ))}
      {data.layers.map((layer, i) => {
        const y = 22 + i * ROW
        return (
          <g key={layer.layer}>
            {i > 0 && <line className={css.grid} x1={0} x2={width} y1={y - 11} y2={y - 11} />}
            <text className={css.strong} y={y + FIRST_LINE}>
              {layer.layer}
            </text>
            <text y={y + SECOND_LINE}>{UNDER[layer.layer]}</text>
            {parts.map((part, c) => (
              <g key={heads[c]} transform={`translate(${columns[c]?.x ?? 0} ${y})`}>
                {part({ layer, stack: data, width: columns[c]?.width ?? 0, hatch, mark })}
              </g>
            ))}
          </g>
        )
      })}
    </svg>
  )
}

/** Of one file: what MPI-IO was asked for, and what came of it at the storage. */
const asked = (wanted: number, became: number, verb: string) =>
  wanted === 0 && became === 0
    ? format(0, 'B')
    : `asked ${format(wanted, 'B')}, ${verb} ${format(became, 'B')}`

export const chart = defineChart<Stack>({
  id: 'layer-stack',
  order: 1,
  wide: true,
  question: 'Who moves the bytes, and where does the time go, between the call and the disk?',
  read,
  sentence,
  caption: ({ layers, nprocs, growth, overlap }) =>
    [
      nprocs !== 1 && 'Times are those of the mean rank: of all ranks, divided by their number.',
      overlap &&
        "Some calls ran beside others, in threads or below nonblocking calls: a layer's seconds are then more than a rank spent.",
      layers.some((l) => l.layer === 'MPI-IO') &&
        layers.some((l) => l.layer === 'POSIX') &&
        'POSIX holds what MPI-IO passes down, and what the program calls itself.',
      growth !== null && grownAtAll(growth) && 'Hatched: bytes that MPI-IO was not asked for.',
      layers.some((l) => l.partial) && 'A layer marked “at least” is recorded in part.',
    ]
      .filter(Boolean)
      .join(' '),
  links: ({ growth, links }) =>
    groupsAmong(
      (growth?.files ?? []).map((file) => file.file),
      links,
    ),
  table: (stack) => ({
    head: ['layer', 'ranks', 'written', 'read', 'calls', timeHead(stack), 'writing', 'reading', 'metadata'],
    rows: stack.layers
      .map((l) => [
        l.layer,
        orNotRecorded(l.ranks, aboutRanks),
        orNotRecorded(l.bytes_written, (v) => format(v, 'B')),
        orNotRecorded(l.bytes_read, (v) => format(v, 'B')),
        orNotRecorded(l.calls, count),
        orNotRecorded(secondsOf(l), (v) => format(v, 's')),
        orNotRecorded(l.write_s, (v) => format(v, 's')),
        orNotRecorded(l.read_s, (v) => format(v, 's')),
        orNotRecorded(l.metadata_s, (v) => format(v, 's')),
      ])
      .concat(
        (stack.growth?.files ?? []).map((f) => [
          `MPI-IO to POSIX, ${baseName(f.file)}`,
          '',
          asked(f.requested_written, f.stored_written, 'stored'),
          `${asked(f.requested_read, f.stored_read, 'read')}${f.unrequested_read > 0 ? `, ${format(f.unrequested_read, 'B')} unasked` : ''}`,
          '',
          '',
          '',
          '',
          '',
        ]),
      ),
  }),
  Plot,
})
