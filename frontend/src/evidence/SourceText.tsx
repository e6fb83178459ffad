import { useQueries, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { type Given, linesQuery } from '../api/queries'
import type { Block } from '../api/types'
import { useCase } from '../findings/CaseContext'
import { count, linesWords, plural } from '../format'
import { DOT } from '../ui/Dotted'
import { Skeleton } from '../ui/Notice'
import { QueryProblem } from '../ui/QueryProblem'
import { useVisibleRows } from '../ui/rows/useVisibleRows'
import css from './Evidence.module.css'
import { blocksQuery } from './queries'

const LINE = 20
/** Lines that are fetched at a time; the server gives at most 400. */
const WINDOW = 200
const BEYOND = 30

/** A text whole, with the lines marked that were read; beside it the blocks that they were read into. */
export function SourceText({
  source,
  name,
  readAs,
  lines,
  line,
  to,
  onLine,
}: {
  source: Given
  name: string
  /** What it was known for, where it was read whole and not in blocks. */
  readAs: string | null
  lines: number
  /** The lines to stand at. */
  line: number | null
  to: number | null
  onLine: (first: number, last: number) => void
}) {
  const { caseId } = useCase()
  const blocks = useQuery(blocksQuery(caseId, source))
  const of = blocks.data
  // How high the list is decides where the text begins on a phone.
  if (blocks.isPending) return <Skeleton height={900} />
  return (
    <div className={css.text}>
      <nav className={css.blocks} aria-label="What was read of it">
        <h3>
          {of?.total === 0 && readAs ? 'Read whole' : `${of ? plural(of.total, 'block') : 'Blocks'} read`}
        </h3>
        {blocks.error && <QueryProblem query={blocks} what="The list of blocks" />}
        {of && of.total === 0 && (
          <p className="muted">
            {readAs ? `It is ${readAs}.` : 'Nothing in this text is of a kind that we know.'}
          </p>
        )}
        <ol hidden={of?.total === 0}>
          {of?.blocks.map((block) => (
            <li key={`${block.first} ${block.title} ${block.file}`}>
              <button
                type="button"
                aria-current={line === block.first && (to ?? line) === block.last ? 'location' : undefined}
                onClick={() => onLine(block.first, block.last)}
              >
                <span>{block.title}</span>
                {block.file && (
                  <span className={css.of} title={block.file}>
                    {block.file}
                  </span>
                )}
                <span className={css.at}>
                  {linesWords(block.first, block.last)}
                  {!block.whole && `${DOT}cut off or not trusted`}
                </span>
              </button>
            </li>
          ))}
        </ol>
        {of && of.total > of.blocks.length && (
          <p className="muted small">
            The first {count(of.blocks.length)} are listed; the others are marked below.
          </p>
        )}
      </nav>
      <Lines key={`${source.given} ${source.member}`} {...{ source, name, lines, line, to }} />
    </div>
  )
}

function Lines({
  source,
  name,
  lines,
  line,
  to,
}: {
  source: Given
  name: string
  lines: number
  line: number | null
  to: number | null
}) {
  const { caseId } = useCase()
  const { box, rows, before, after, show } = useVisibleRows({ total: lines, height: LINE, beyond: BEYOND })
  useEffect(() => {
    if (line !== null) show(Math.max(0, Math.min(line, lines) - 4), true)
  }, [line, lines, show])
  const first = Math.floor((rows[0] ?? 0) / WINDOW)
  const last = Math.floor((rows.at(-1) ?? 0) / WINDOW)
  const windows = Array.from({ length: last - first + 1 }, (_, i) => ({
    first: (first + i) * WINDOW + 1,
    last: Math.min(lines, (first + i + 1) * WINDOW),
  }))
  const texts = useQueries({
    queries: windows.map((w) => linesQuery(caseId, source, w.first, w.last)),
  })
  const marks = useQueries({ queries: windows.map((w) => blocksQuery(caseId, source, w)) })
  const failed = texts.find((query) => query.error)
  if (failed) return <QueryProblem query={failed} what="The text" />
  return (
    <section
      className={`more ${css.log}`}
      ref={box}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region must be reachable by keyboard
      tabIndex={0}
      aria-label={`${name}, ${plural(lines, 'line')}; lines that gave a figure are marked`}
    >
      <ol style={{ paddingTop: before, paddingBottom: after }}>
        {rows.map((index) => {
          const number = index + 1
          const window = Math.floor(index / WINDOW) - first
          const text = texts[window]?.data?.lines[index % WINDOW]
          const block = blockAt(marks[window]?.data?.blocks ?? [], number)
          const meant = line !== null && number >= line && number <= (to ?? line)
          const read = block?.read.some((run) => number >= run.first && number <= run.last) ?? false
          return (
            <li
              key={number}
              aria-setsize={lines}
              aria-posinset={number}
              className={`${block ? css.inBlock : ''} ${read ? css.read : ''} ${meant ? css.meant : ''}`}
              title={block ? `${block.title}${block.file ? ` of ${block.file}` : ''}` : undefined}
            >
              <i>{number}</i>
              {read ? <mark>{text?.text || ' '}</mark> : <span>{text?.text || ' '}</span>}
              {text?.cut && <span className="muted"> … the line goes on</span>}
            </li>
          )
        })}
      </ol>
    </section>
  )
}

/** The block that a line belongs to; of several that overlap the one that read it, else the shortest. */
function blockAt(blocks: readonly Block[], line: number): Block | undefined {
  const around = blocks.filter((b) => line >= b.first && line <= b.last)
  const reads = (b: Block) => b.read.some((run) => line >= run.first && line <= run.last)
  return around.sort(
    (a, b) => Number(reads(b)) - Number(reads(a)) || a.last - a.first - (b.last - b.first),
  )[0]
}
