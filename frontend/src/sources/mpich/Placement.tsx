import type { CaseDocument } from '../../analysis/caseDocument'
import { baseName, plural } from '../../format'
import { firstFew } from '../firstFew'
import { Block, Kind } from '../Kind'
import { Place } from '../Place'
import { Rows } from '../Rows'
import css from '../Sources.module.css'
import { at, type PartOf, textEvidence } from '../textEvidence'

type Placed = PartOf<'aggregator_placement'>['aggregators'][number]

/** On which nodes a file's aggregators sit; where the table was not understood, its text as it stands. */
export function Placement({ document }: { document: CaseDocument }) {
  const tables = textEvidence(document, 'aggregator_placement')
  if (tables.length === 0) return null
  return (
    <Kind
      id="placement"
      title="Aggregator placement"
      says={firstFew(tables, ({ part }) => `${baseName(part.file)}: ${summary(part)}`)}
    >
      {tables.map(({ source, part }) => (
        <Block
          key={`${source}:${part.lines.first}`}
          title={<span title={part.file}>{baseName(part.file)}</span>}
          about={
            <>
              {summary(part)}
              {!part.complete && part.aggregators.length > 0 && '; the table is cut off, there may be more'}{' '}
              <Place where={at(source, part.lines.first, part.lines.last)} />
            </>
          }
        >
          {part.aggregators.length > 0 ? (
            <Rows
              caption={`Aggregators of ${part.file} by node`}
              rows={byNode(part.aggregators)}
              keyOf={([node]) => node}
              columns={[
                { name: 'node', cell: ([node]) => <span className="mono">{node}</span> },
                { name: 'aggregators', number: true, cell: ([, placed]) => placed.length },
                { name: 'ranks', cell: ([, placed]) => placed.map((a) => a.rank).join(', ') },
                {
                  name: 'where',
                  cell: ([, placed]) =>
                    placed.slice(0, 1).map((a) => <Place key={a.line} where={at(source, a.line)} />),
                },
              ]}
            />
          ) : (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region must be reachable by keyboard
            <pre className={css.kept} tabIndex={0}>
              {part.text.join('\n')}
            </pre>
          )}
        </Block>
      ))}
    </Kind>
  )
}

function summary({ aggregators }: PartOf<'aggregator_placement'>): string {
  if (aggregators.length === 0) return 'its columns are not known; the text is kept'
  return `${plural(aggregators.length, 'aggregator')} on ${plural(new Set(aggregators.map((a) => a.node)).size, 'node')}`
}

function byNode(aggregators: readonly Placed[]): [string, readonly Placed[]][] {
  const nodes = new Map<string, Placed[]>()
  for (const placed of aggregators) nodes.set(placed.node, [...(nodes.get(placed.node) ?? []), placed])
  return [...nodes]
}
