import type { CaseDocument } from '../../analysis/caseDocument'
import { count, exactly, plural } from '../../format'
import { BlockFile, Stated } from '../BlockCells'
import { Kind } from '../Kind'
import { Place } from '../Place'
import { Rows } from '../Rows'
import { at, type PartOf, type TextEvidence, textEvidence } from '../textEvidence'

type Block = TextEvidence<'mpiio_stats'>

/** The blocks of MPICH_MPIIO_STATS, one line each. */
export function StatsBlocks({ document }: { document: CaseDocument }) {
  const blocks = textEvidence(document, 'mpiio_stats')
  if (blocks.length === 0) return null
  const files = new Set(blocks.map(({ part }) => part.file)).size
  const unsure = blocks.filter(({ part }) => !part.trusted || !part.complete).length
  return (
    <Kind
      id="stats"
      title="MPICH_MPIIO_STATS"
      says={`${plural(blocks.length, 'block')} of ${plural(files, 'file')}${unsure > 0 ? `; ${unsure} cut off or mixed with others` : ''}`}
    >
      <Rows<Block>
        caption="Blocks of MPICH_MPIIO_STATS"
        rows={blocks}
        keyOf={({ source, part }) => `${source}:${part.lines.first}`}
        columns={[
          {
            name: 'file',
            cell: ({ part }) => (
              <BlockFile
                path={part.file}
                notes={[
                  part.direction,
                  part.occurrence > 1 && `block ${part.occurrence}`,
                  !part.trusted && 'mixed with another block: not used',
                  part.trusted && !part.complete && 'cut off',
                ]}
              />
            ),
          },
          {
            name: 'independent',
            title: 'independent calls, summed over ranks',
            number: true,
            cell: ({ part }) => <Stated n={part.independent_accesses} />,
          },
          {
            name: 'collective',
            title: 'collective calls, summed over ranks',
            number: true,
            cell: ({ part }) => <Stated n={part.collective_accesses} />,
          },
          { name: 'aggregators', number: true, cell: ({ part }) => <Stated n={part.aggregators} /> },
          {
            name: 'stripes',
            number: true,
            cell: ({ part }) => <Stripes part={part} />,
          },
          { name: 'bytes', number: true, cell: ({ part }) => <Stated n={part.total_bytes} bytes /> },
          {
            name: 'system calls',
            title: 'system writes or reads',
            number: true,
            cell: ({ part }) => <Stated n={part.system_accesses} />,
          },
          {
            name: 'stripe-sized',
            number: true,
            cell: ({ part }) => <Stated n={part.stripe_sized_accesses} />,
          },
          {
            name: 'RMW',
            title: 'read-modify-write: blocks read back to be written',
            number: true,
            cell: ({ part }) => <Stated n={part.rmw_count} />,
          },
          { name: 'gaps', number: true, cell: ({ part }) => <Stated n={part.gap_count} /> },
          {
            name: 'where',
            cell: ({ source, part }) => <Place where={at(source, part.lines.first, part.lines.last)} />,
          },
        ]}
      />
    </Kind>
  )
}

function Stripes({ part }: { part: PartOf<'mpiio_stats'> }) {
  if (part.pfl.length > 0) return `${part.pfl.length} components`
  if (part.stripe_count === null) return <Stated n={null} />
  return (
    <>
      {count(part.stripe_count)}
      {part.stripe_size_bytes !== null && (
        <span className="u"> × {exactly(part.stripe_size_bytes, 'B')}</span>
      )}
    </>
  )
}
