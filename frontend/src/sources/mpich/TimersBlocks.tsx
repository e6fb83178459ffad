import type { CaseDocument } from '../../analysis/caseDocument'
import { count, plural } from '../../format'
import { BlockFile, Stated } from '../BlockCells'
import { Kind } from '../Kind'
import { Place } from '../Place'
import { Rows } from '../Rows'
import { at, type TextEvidence, textEvidence } from '../textEvidence'

type Block = TextEvidence<'mpiio_timers'>

/** Calls of which the late rank is named; those that were waited for most. */
const MOST_LATE = 3

/** The blocks of MPICH_MPIIO_TIMERS, one line each: also those that no chart is drawn from, and why not. */
export function TimersBlocks({ document }: { document: CaseDocument }) {
  const blocks = textEvidence(document, 'mpiio_timers')
  if (blocks.length === 0) return null
  const mixed = blocks.filter(({ part }) => !part.trusted).length
  return (
    <Kind
      id="timers"
      title="MPICH_MPIIO_TIMERS"
      says={`${plural(blocks.length, 'block')}${mixed > 0 ? `; ${plural(mixed, 'block')} read but not trusted` : ''}`}
    >
      <Rows<Block>
        caption="Blocks of MPICH_MPIIO_TIMERS"
        rows={blocks}
        keyOf={({ source, part }) => `${source}:${part.lines.first}`}
        columns={[
          {
            name: 'file',
            cell: ({ part }) => (
              <BlockFile
                path={part.file}
                notes={[part.direction, part.ranks, part.occurrence > 1 && `block ${part.occurrence}`]}
              />
            ),
          },
          {
            name: 'ranks that access it',
            number: true,
            cell: ({ part }) => <Stated n={part.active_ranks} />,
          },
          { name: 'ranks that do not', number: true, cell: ({ part }) => <Stated n={part.idle_ranks} /> },
          { name: 'phases', number: true, cell: ({ part }) => count(part.phases.length) },
          { name: 'ranks named', cell: ({ part }) => named(part) },
          { name: 'read', cell: (block) => trust(block, document) },
          {
            name: 'where',
            cell: ({ source, part }) => <Place where={at(source, part.lines.first, part.lines.last)} />,
          },
        ]}
      />
    </Kind>
  )
}

/** The slow and the late ranks by number, as the details of level 2 name them; a rank without any time is none. */
function named({ named_ranks, details }: Block['part']): string {
  const timed = named_ranks.filter(({ ticks }) => ticks > 0)
  const waited = (call: number | null) =>
    details.find(({ label }) => label === `wait for coll.${call}`)?.ticks.average ?? 0
  const late = timed
    .filter(({ role }) => role === 'late arriver')
    .sort((a, b) => waited(b.call) - waited(a.call))
  return [
    ...timed.filter(({ role }) => role === 'slowest access').map(({ rank }) => `rank ${rank} slowest`),
    ...late.slice(0, MOST_LATE).map(({ rank, call }) => `rank ${rank} last to call ${call}`),
    late.length > MOST_LATE ? `${plural(late.length - MOST_LATE, 'more call')}` : '',
  ]
    .filter(Boolean)
    .join('; ')
}

/** Whether the block's times are used, and why not. */
function trust({ source, part }: Block, document: CaseDocument): string {
  if (!part.trusted) return 'Not trusted: its lines are mixed with those of another block.'
  const drawn = document.charts.timers.find(
    ({ where }) =>
      where.source === source && where.at.kind === 'lines' && where.at.first === part.lines.first,
  )
  const cut = part.complete ? '' : 'Cut off. '
  return drawn?.total_reason ? `${cut}Shares only, no seconds: ${drawn.total_reason}.` : `${cut}Used.`
}
