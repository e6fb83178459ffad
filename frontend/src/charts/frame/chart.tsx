import { Link as PageLink } from '@tanstack/react-router'
import { type ComponentType, useState } from 'react'
import type { CaseDocument } from '../../analysis/caseDocument'
import { validateCaseSearch } from '../../analysis/search'
import { EXPORTED_CASE, HOLDS_TIMELINE } from '../../api/embedded'
import { useCaseId } from '../../findings/CaseContext'
import { count } from '../../format'
import button from '../../ui/Button.module.css'
import { Explained } from '../../ui/Term'
import css from './chart.module.css'
import type { Evidence } from './evidence'
import { Figure } from './Figure'
import { type Link, LinkedName } from './linked'
import { linkName } from './linkName'
import type { TextTable } from './PlainTable'

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

/** What is named below the chart and shows its marks in the others too: by `name` where the chart has more to say of it than it
 * is called everywhere. */
export interface MarkedLink {
  readonly name?: string
  readonly link: Link
}

interface NamedLink extends MarkedLink {
  readonly name: string
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
  readonly links?: (data: D) => readonly MarkedLink[]
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
  if (isMissing(data)) return null
  const { id, question, closer } = spec
  const [sentence, caption] = [spec.sentence(data), spec.caption(data)]
  const save = async (plot: HTMLElement, kind: 'svg' | 'png') => {
    const { svgOf, saveSvg, savePng } = await import('./download')
    const drawn = svgOf(plot, { title: question, sentence, caption })
    await (kind === 'svg' ? saveSvg(drawn, id) : savePng(drawn, id))
  }
  return (
    <Figure
      question={question}
      see={<Explained>{sentence}</Explained>}
      names={<Names links={linksOf(spec, data, document)} />}
      caption={caption}
      closer={closer && <CloserLink closer={closer} />}
      table={spec.table(data)}
      onSave={save}
    >
      {(width) => <spec.Plot data={data} width={width} />}
    </Figure>
  )
}

const isMissing = (data: object): data is MissingEvidence => 'missing' in data && 'needs' in data

/** Where all files are of one group, or there is one rank, its name would tell no mark from another. */
const linksOf = <D extends object>(spec: ChartSpec<D>, data: D, document: CaseDocument): NamedLink[] =>
  (spec.links?.(data) ?? [])
    .filter(({ link: { kind } }) => kind !== 'group' || document.groups.length > 1)
    .filter(({ link: { kind } }) => kind !== 'rank' || document.job.nprocs !== 1)
    .map(({ link, name = linkName(link, document) }) => ({ name, link }))

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
