import { lazy, Suspense } from 'react'
import type { CaseDocument } from '../analysis/caseDocument'
import { baseName, count, exactly, format, plural } from '../format'
import { Missing } from '../ui/Missing'
import { Skeleton } from '../ui/Notice'
import { firstFew } from './firstFew'
import { Block, Kind } from './Kind'
import { Place } from './Place'
import { Rows } from './Rows'
import { at, type PartOf, type TextEvidence, textEvidence } from './textEvidence'

const LayoutDrawing = lazy(() => import('./LayoutDrawing'))

type Layout = PartOf<'stripe_layout'>
type Component = Layout['components'][number]

interface ComponentRow {
  readonly source: number
  readonly layout: Layout
  readonly component: Component
  readonly number: number
}

/** The others stand in the table. */
const MOST_DRAWN = 4

/** Where files lie, as lfs getstripe prints it: drawn, and one line for each component. */
export function Layouts({ document }: { document: CaseDocument }) {
  const layouts = textEvidence(document, 'stripe_layout')
  if (layouts.length === 0) return null
  const rows = layouts.flatMap(({ source, part }) =>
    part.components.map((component, i): ComponentRow => ({ source, layout: part, component, number: i + 1 })),
  )
  return (
    <Kind
      id="layouts"
      title="Stripe layouts"
      says={firstFew(layouts, ({ part }) => `${nameOf(part)}: ${summary(part)}`)}
    >
      {layouts.slice(0, MOST_DRAWN).map(({ source, part }) => (
        <Block key={`${source}:${part.lines.first}`} title={<span className="mono">{nameOf(part)}</span>}>
          <Suspense fallback={<Skeleton height={56} />}>
            <LayoutDrawing layout={part} name={nameOf(part)} />
          </Suspense>
        </Block>
      ))}
      <Rows<ComponentRow>
        caption="Components of stripe layouts, from lfs getstripe"
        rows={rows}
        keyOf={(row) => `${row.source}:${row.component.line}:${row.number}`}
        columns={[
          { name: 'path', cell: (row) => <Path row={row} /> },
          { name: 'bytes', cell: ({ component }) => extent(component) },
          { name: 'stripes', number: true, cell: ({ component }) => stripes(component) },
          {
            name: 'stripe size',
            number: true,
            cell: ({ component }) =>
              component.stripe_size_bytes === null ? (
                <Missing>not printed</Missing>
              ) : (
                exactly(component.stripe_size_bytes, 'B')
              ),
          },
          { name: 'pool', cell: ({ component }) => component.pool ?? <span className="muted">none</span> },
          { name: 'OSTs', cell: ({ layout, component }) => osts(layout, component) },
          { name: 'where', cell: ({ source, component }) => <Place where={at(source, component.line)} /> },
        ]}
      />
    </Kind>
  )
}

const nameOf = (layout: Layout): string =>
  layout.path === null ? 'a path not printed' : baseName(layout.path)

function summary({ form, components }: Layout): string {
  const [only, ...others] = components
  const stripes = only && others.length === 0 ? stripesOf(only) : `${components.length} components`
  return form === 'directory-default' ? `${stripes} for new files` : stripes
}

function stripesOf({ over_all_osts, stripe_count }: Component): string {
  if (over_all_osts) return 'all OSTs'
  return stripe_count === null ? 'the default' : plural(stripe_count, 'stripe')
}

function Path({ row: { layout, component, number } }: { row: ComponentRow }) {
  const about = [
    layout.form === 'directory-default' && 'what new files of the directory get',
    layout.components.length > 1 && `component ${number} of ${layout.components.length}`,
    component.mirror_id !== null && (layout.mirror_count ?? 1) > 1 && `mirror ${component.mirror_id}`,
    component.flags.length > 0 && component.flags.join(', '),
    layout.form === 'composite' && !component.flags.includes('init') && 'not yet instantiated',
    !layout.complete && 'the text is cut off',
  ]
  return (
    <>
      <span className="mono" title={layout.path ?? undefined}>
        {nameOf(layout)}
      </span>{' '}
      <span className="muted small">{about.filter(Boolean).join(', ')}</span>
    </>
  )
}

function extent({ start_bytes, end_bytes }: Component): string {
  if (start_bytes === 0 && end_bytes === null) return 'all'
  return `${exactly(start_bytes, 'B')} to ${end_bytes === null ? 'the end' : exactly(end_bytes, 'B')}`
}

function stripes(component: Component): React.ReactNode {
  if (component.pattern?.split(',').includes('mdt')) return 'on the MDT'
  if (component.over_all_osts) return 'all OSTs'
  return component.stripe_count === null ? 'the default' : count(component.stripe_count)
}

function osts(layout: Layout, { osts: list, first_ost }: Component): React.ReactNode {
  if (list.length > 0) return list.length > 24 ? `${list.slice(0, 24).join(', ')} …` : list.join(', ')
  if (first_ost !== null) return `from ${first_ost}`
  return (
    <span className="muted">
      {layout.form === 'directory-default' ? 'chosen at creation' : 'not printed'}
    </span>
  )
}

/** lfs df: how full the targets are. */
export function OstUse({ document }: { document: CaseDocument }) {
  const systems: TextEvidence<'ost_usage'>[] = textEvidence(document, 'ost_usage')
  if (systems.length === 0) return null
  return (
    <Kind
      id="osts"
      title="Storage targets"
      says={systems.map(({ part }) => `${part.mount}: ${listedOf(part)}`).join('; ')}
    >
      {systems.map(({ source, part }) => (
        <Block key={`${source}:${part.lines.first}`} title={part.mount}>
          <Rows
            caption={`Targets of ${part.mount}, from lfs df`}
            rows={part.osts}
            folded={part.mdts}
            foldedWords={['MDT', 'MDTs']}
            keyOf={(target) => `${target.name}@${target.line}`}
            columns={[
              { name: 'target', cell: (target) => <span className="mono">{target.name}</span> },
              { name: 'size', number: true, cell: (target) => bytes(target.total_bytes) },
              { name: 'used', number: true, cell: (target) => bytes(target.used_bytes) },
              { name: 'available', number: true, cell: (target) => bytes(target.available_bytes) },
              {
                name: 'full',
                number: true,
                cell: ({ used_bytes, total_bytes }) =>
                  used_bytes === null || !total_bytes ? (
                    <Missing>not known</Missing>
                  ) : (
                    format(used_bytes / total_bytes, 'share')
                  ),
              },
              { name: 'where', cell: (target) => <Place where={at(source, target.line)} /> },
            ]}
          />
        </Block>
      ))}
    </Kind>
  )
}

const listedOf = ({ osts, complete }: TextEvidence<'ost_usage'>['part']) =>
  complete ? plural(osts.length, 'OST') : `${plural(osts.length, 'OST')} listed, others left out`

const bytes = (value: number | null) => (value === null ? <Missing>not printed</Missing> : format(value, 'B'))
