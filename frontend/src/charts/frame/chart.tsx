import { Link as PageLink } from '@tanstack/react-router'
import { type ComponentType, useId, useState } from 'react'
import type { CaseDocument } from '../../analysis/caseDocument'
import { validateCaseSearch } from '../../analysis/search'
import { EXPORTED_CASE, HOLDS_TIMELINE } from '../../api/embedded'
import { useCaseId } from '../../findings/CaseContext'
import { count } from '../../format'
import button from '../../ui/Button.module.css'
import { Scroll } from '../../ui/Scroll'
import table from '../../ui/Table.module.css'
import { Explained } from '../../ui/Term'
import css from './chart.module.css'
import type { Evidence } from './evidence'
import { type Link, LinkedName } from './linked'
import { useWidth } from './useWidth'

/** Why a chart cannot be drawn, and the evidence that would give it its data. */
export interface MissingEvidence {
  readonly missing: string
  readonly needs: Evidence
}

/** A chart that cannot be drawn. */
export interface MissingChart extends MissingEvidence {
  readonly id: string
  readonly question: string
}

/** The chart's data as a table, for those who cannot or would rather not look at it. */
export interface TextTable {
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** A name below the chart that shows its marks in the others too. */
export interface NamedLink {
  readonly name: string
  readonly link: Link
}

/** What a chart is made of. `read` takes its data from the document or says what is missing. */
interface ChartSpec<D extends object> {
  readonly id: string
  /** Position among the charts of a case, from 1. */
  readonly order: number
  /** Spans both columns. */
  readonly wide?: boolean
  /** The title: the question the chart answers. */
  readonly question: string
  readonly read: (document: CaseDocument) => D | MissingEvidence
  /** One sentence of what is to be seen here, made from the data. */
  readonly sentence: (data: D) => string
  readonly caption: (data: D) => string
  readonly table: (data: D) => TextTable
  /** What of it other charts and findings show too, for the pointer and the keyboard. */
  readonly links?: (data: D) => readonly NamedLink[]
  /** The view of the case in which one can look closer. */
  readonly closer?: Closer
  readonly Plot: ComponentType<{ data: D; width: number }>
}

interface Closer {
  readonly to: '/cases/$caseId/timeline' | '/cases/$caseId/ranks'
  readonly words: string
}

export interface Chart {
  readonly id: string
  readonly order: number
  readonly wide: boolean
  readonly question: string
  /** What the document lacks of what the chart is drawn from; null where it can be drawn. */
  readonly missing: (document: CaseDocument) => MissingChart | null
  /** What the chart says in words; null where it cannot be drawn. */
  readonly said: (document: CaseDocument) => ChartWords | null
  readonly Drawing: ComponentType<{ document: CaseDocument }>
}

export interface ChartWords {
  readonly sentence: string
  readonly caption: string
  readonly table: TextTable
  /** The names below it. */
  readonly links: readonly string[]
}

/** Called once by each chart's module: the type of its data stays there. */
export function defineChart<D extends object>(given: ChartSpec<D>): Chart {
  const spec = { ...given, read: onceEach(given.read) }
  return {
    id: spec.id,
    order: spec.order,
    wide: spec.wide ?? false,
    question: spec.question,
    missing: (document) => {
      const data = readOrFailed(() => spec.read(document))
      return data !== null && isMissing(data) ? { id: spec.id, question: spec.question, ...data } : null
    },
    said: (document) => {
      const data = spec.read(document)
      if (isMissing(data)) return null
      const links = linksOf(spec, data, document).map(({ name }) => name)
      return { sentence: spec.sentence(data), caption: spec.caption(data), table: spec.table(data), links }
    },
    // biome-ignore lint/correctness/noComponentHookFactories: made once, when its module is loaded
    Drawing: ({ document }) => <ChartFrame spec={spec} document={document} />,
  }
}

/** What cannot be read fails once more where it is drawn, and there takes no other chart with it. */
function readOrFailed<R>(read: () => R): R | null {
  try {
    return read()
  } catch {
    return null
  }
}

/** Whether a chart can be drawn, and the chart itself, ask for the same data. */
function onceEach<R>(read: (document: CaseDocument) => R): (document: CaseDocument) => R {
  const known = new WeakMap<CaseDocument, { readonly data: R }>()
  return (document) => {
    const found = known.get(document) ?? { data: read(document) }
    known.set(document, found)
    return found.data
  }
}

function ChartFrame<D extends object>({ spec, document }: { spec: ChartSpec<D>; document: CaseDocument }) {
  const data = spec.read(document)
  const heading = useId()
  if (isMissing(data)) return null
  return (
    <figure className={css.figure} aria-labelledby={heading}>
      <h3 id={heading}>{spec.question}</h3>
      <Drawn spec={spec} data={data} links={linksOf(spec, data, document)} />
    </figure>
  )
}

const isMissing = (data: object): data is MissingEvidence => 'missing' in data && 'needs' in data

/** Where all files are of one group, its name would tell no mark from another. */
const linksOf = <D extends object>(spec: ChartSpec<D>, data: D, { groups }: CaseDocument) =>
  (spec.links?.(data) ?? []).filter(({ link }) => link.kind !== 'group' || groups.length > 1)

function Drawn<D extends object>({
  spec,
  data,
  links,
}: {
  spec: ChartSpec<D>
  data: D
  links: readonly NamedLink[]
}) {
  const [plot, width] = useWidth<HTMLDivElement>()
  const [open, setOpen] = useState(false)
  const id = useId()
  const sentence = spec.sentence(data)
  const caption = spec.caption(data)
  const asTable = <DataTable data={spec.table(data)} caption={spec.question} />
  const save = async (kind: 'svg' | 'png') => {
    const host = plot.current
    if (!host) return
    const { svgOf, saveSvg, savePng } = await import('./download')
    const drawn = svgOf(host, { title: spec.question, sentence, caption })
    await (kind === 'svg' ? saveSvg(drawn, spec.id) : savePng(drawn, spec.id))
  }
  return (
    <>
      <p className={css.see}>
        <Explained>{sentence}</Explained>
      </p>
      <div className={css.plot} ref={plot} aria-hidden="true">
        <spec.Plot data={data} width={width} />
      </div>
      <Names links={links} />
      <div className={css.under}>
        <figcaption>{caption}</figcaption>
        <p className={css.actions}>
          {spec.closer && <CloserLink closer={spec.closer} />}
          <button
            type="button"
            className={button.link}
            aria-expanded={open}
            aria-controls={id}
            onClick={() => setOpen(!open)}
          >
            {open ? 'hide the table' : 'as a table'}
          </button>
          {(['svg', 'png'] as const).map((kind) => (
            <button
              key={kind}
              type="button"
              className={button.link}
              aria-label={`Save the chart as ${kind.toUpperCase()}`}
              onClick={() => save(kind)}
            >
              {kind.toUpperCase()}
            </button>
          ))}
        </p>
      </div>
      {open ? (
        <Scroll label={spec.question} className={css.table} id={id}>
          {asTable}
        </Scroll>
      ) : (
        <div className="vh" id={id}>
          {asTable}
        </div>
      )}
    </>
  )
}

/** Names below a chart that stand at once; the others are opened. */
const FIRST_NAMES = 4

/** What can be marked, for who cannot point at the drawing. */
function Names({ links }: { links: readonly NamedLink[] }) {
  const [all, setAll] = useState(false)
  if (links.length === 0) return null
  const shown = all || links.length === FIRST_NAMES + 1 ? links : links.slice(0, FIRST_NAMES)
  return (
    <p className={css.links}>
      <span>Mark in every chart:</span>
      {shown.map(({ name, link }) => (
        <LinkedName key={`${link.kind}${link.id}`} link={link}>
          {name}
        </LinkedName>
      ))}
      {(all || shown.length < links.length) && (
        <button type="button" className={button.link} aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? 'fewer' : `${count(links.length - shown.length)} more`}
        </button>
      )}
    </p>
  )
}

/** An exported page has no other view than the timeline, and the gallery no case. */
function CloserLink({ closer }: { closer: Closer }) {
  const caseId = useCaseId()
  const held = EXPORTED_CASE === null || (HOLDS_TIMELINE && closer.to === '/cases/$caseId/timeline')
  if (!held || caseId === null) return null
  return (
    <PageLink
      to={closer.to}
      params={{ caseId }}
      search={(old) => validateCaseSearch(old as Record<string, unknown>)}
    >
      {closer.words}
    </PageLink>
  )
}

/** Rows of a table; of more the first are there, and how many are not. */
const MOST_ROWS = 200

export function DataTable({ data, caption }: { data: TextTable; caption: string }) {
  const more = data.rows.length - MOST_ROWS
  return (
    <table className={table.table}>
      <caption className="vh">{caption}</caption>
      <thead>
        <tr>
          {data.head.map((name, i) => (
            <th scope="col" key={name} className={i > 0 ? 'num' : ''}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {data.rows.slice(0, MOST_ROWS).map((row) => (
          <tr key={row.join('|')}>
            {row.map((cell, i) =>
              i === 0 ? (
                <th scope="row" key={data.head[i]}>
                  {cell}
                </th>
              ) : (
                <td className="num" key={data.head[i]}>
                  {cell}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
      {more > 0 && (
        <tfoot>
          <tr>
            <td colSpan={data.head.length}>and {count(more)} more</td>
          </tr>
        </tfoot>
      )}
    </table>
  )
}
