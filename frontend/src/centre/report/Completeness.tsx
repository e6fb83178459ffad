import { sum } from 'd3-array'
import { scaleLinear } from 'd3-scale'
import { useId } from 'react'
import { Hatch } from '../../charts/frame/Hatch'
import { useWidth } from '../../charts/frame/useWidth'
import { count, format, partOf, plural } from '../../format'
import { Command } from '../../ui/Command'
import { cellsByName } from './cellsByName'
import css from './Report.module.css'
import { SectionTable } from './SectionTable'
import type { Report, Section } from './types'

const HEIGHT = 26

/** Up to so many are counted: a share of them says more digits than there are logs. */
const FEW = 100

function wereRead(read: number, files: number): string {
  if (read === files) return files === 1 ? 'It was read' : 'All were read'
  if (files > FEW) return `${partOf(read, files)} were read`
  return read === 0 ? 'None was read' : `${count(read)} ${read === 1 ? 'was' : 'were'} read`
}

function counted(section: Section) {
  const cell = cellsByName(section)
  return section.rows.map((row) => ({ what: String(cell(row, 'what')), logs: Number(cell(row, 'logs')) }))
}
type Counted = ReturnType<typeof counted>
const named = (rows: Counted, what: string) => rows.find((row) => row.what === what)?.logs ?? 0
const failures = (rows: Counted) => rows.filter((row) => row.what.startsWith('failed: '))
const lostOf = (rows: Counted) => sum(failures(rows), (row) => row.logs)

/** "51 of the 52 logs were read, of 48 jobs; none failed, and 4 lack records." */
export function logsSaid(section: Section): string {
  const rows = counted(section)
  const [files, read, jobs, lost] = [
    named(rows, 'files'),
    named(rows, 'read'),
    named(rows, 'jobs'),
    lostOf(rows),
  ]
  if (files === 0) return 'There was no log.'
  const lacking = named(rows, LACKING)
  const of = read === files ? `${plural(read, 'log')}` : `${count(read)} of the ${plural(files, 'log')}`
  const failed = lost === 0 ? 'none failed' : `${count(lost)} could not be read`
  const bounds = lacking === 0 ? '' : `, and ${count(lacking)} ${lacking === 1 ? 'lacks' : 'lack'} records`
  return `${of} ${read === 1 && read === files ? 'was' : 'were'} read, of ${plural(jobs, 'job')}; ${failed}${bounds}.`
}
const LACKING = 'of these: lacking records (lower bounds)'

/** The share of the machine's node-hours that left a log; null where no accounting says. */
export function shareCovered(section: Section | undefined): number | null {
  if (section === undefined) return null
  const cell = cellsByName(section)
  const hours = section.rows.find((row) => cell(row, 'what') === 'node-hours')
  const share = hours && cell(hours, 'share')
  return typeof share === 'number' ? share : null
}

/** What became of the logs, and how much of the machine they cover: every figure of the page holds for those read. */
export function Completeness({ report }: { report: Report }) {
  const sections = new Map(report.sections.map((section) => [section.id, section]))
  const logs = sections.get('completeness')
  const covered = sections.get('coverage')
  return (
    <section aria-labelledby="completeness">
      <div className={css.heading}>
        <h2 id="completeness">How complete is this?</h2>
        <p>every number of this page holds for the logs that were read</p>
      </div>
      <p className={css.unseen}>{report.unseen}</p>
      <div className={css.wideAndNarrow}>
        {logs && <Logs section={logs} />}
        {covered && <Covered section={covered} />}
      </div>
    </section>
  )
}

function Logs({ section }: { section: Section }) {
  const rows = counted(section)
  const [files, read, lost] = [named(rows, 'files'), named(rows, 'read'), lostOf(rows)]
  const lower = rows.filter((row) => row.what.startsWith('of these: '))
  if (files === 0)
    return (
      <div>
        <h3>What became of the logs?</h3>
        <p className={css.see}>None was there.</p>
      </div>
    )
  return (
    <div>
      <h3>What became of the {plural(files, 'log')}?</h3>
      <p className={css.see}>
        {`${wereRead(read, files)}, of ${plural(named(rows, 'jobs'), 'job')}; ${lost === 0 ? 'none failed' : `${count(lost)} could not be read`}.`}
      </p>
      <Stack
        label={`${count(read)} read, ${count(lost)} failed, ${count(files - read - lost)} copies`}
        parts={[read, files - read - lost, lost]}
      />
      <dl className={css.became}>
        {[...lower, ...failures(rows), ...rows.filter((row) => row.what.startsWith('copies'))].map(
          ({ what, logs }) => (
            <div key={what}>
              <dt>{what}</dt>
              <dd className="num">{count(logs)}</dd>
            </div>
          ),
        )}
      </dl>
    </div>
  )
}

function Covered({ section }: { section: Section }) {
  const share = shareCovered(section)
  return (
    <div>
      <h3>How much of the machine do they cover?</h3>
      {section.rows.length === 0 ? (
        <Unknown note={section.note} />
      ) : (
        <>
          <p className={css.see}>
            {share !== null && `${format(share, 'share')} of the node-hours. `}
            {section.note}
          </p>
          <SectionTable section={section} />
        </>
      )}
    </div>
  )
}

/** Why it is not known, and what would tell as a line to copy. */
function Unknown({ note }: { note: string }) {
  const [, why = note, command = ''] = /^(.*?:) (sacct .*)$/.exec(note) ?? []
  return (
    <>
      <p className={css.see}>{why}</p>
      {command !== '' && <Command small text={command} prompt />}
    </>
  )
}

/** Read, set aside and failed as one bar. */
function Stack({ parts, label }: { parts: readonly [number, number, number]; label: string }) {
  const hatch = useId()
  const [ref, width] = useWidth<HTMLDivElement>()
  const [read, aside, failed] = parts
  const x = scaleLinear([0, Math.max(1, read + aside + failed)], [0, width])
  return (
    <div ref={ref}>
      <svg width="100%" height={HEIGHT} role="img" aria-label={label}>
        <defs>
          <Hatch id={hatch} colour="var(--waiting)" />
        </defs>
        <rect className={css.bar} width={x(read)} height={HEIGHT} />
        <rect x={x(read)} width={x(aside)} height={HEIGHT} fill={`url(#${hatch})`} />
        <rect className={css.failed} x={x(read + aside)} width={x(failed)} height={HEIGHT} />
      </svg>
    </div>
  )
}
