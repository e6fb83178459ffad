import { scaleLinear } from 'd3-scale'
import { useId } from 'react'
import { Hatch } from '../../charts/frame/Hatch'
import { useWidth } from '../../charts/frame/useWidth'
import { count, format, partOf, plural } from '../../format'
import { Command } from '../../ui/Command'
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

/** What became of the logs, and how much of the machine they cover: every figure below holds for those read. */
export function Completeness({ report }: { report: Report }) {
  const sections = new Map(report.sections.map((section) => [section.id, section]))
  const logs = sections.get('completeness')
  const covered = sections.get('coverage')
  return (
    <section aria-labelledby="completeness">
      <div className={css.heading}>
        <h2 id="completeness">How complete is this?</h2>
        <p>read it first: every number below holds for the logs that were read</p>
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
  const rows = section.rows.map(([what, logs]) => ({ what: String(what), logs: Number(logs) }))
  const named = (what: string) => rows.find((row) => row.what === what)?.logs ?? 0
  const files = named('files')
  const failed = rows.filter((row) => row.what.startsWith('failed: '))
  const lower = rows.filter((row) => row.what.startsWith('of these: '))
  const lost = failed.reduce((all, row) => all + row.logs, 0)
  const read = named('read')
  return (
    <div>
      <h3>What became of the {plural(files, 'log')}?</h3>
      <p className={css.see}>
        {files === 0
          ? 'None was there.'
          : `${wereRead(read, files)}, of ${plural(named('jobs'), 'job')}; ${lost === 0 ? 'none failed' : `${count(lost)} could not be read`}.`}
      </p>
      <Stack
        label={`${count(read)} read, ${count(lost)} failed, ${count(files - read - lost)} copies`}
        parts={[read, files - read - lost, lost]}
      />
      <dl className={css.became}>
        {[...lower, ...failed, ...rows.filter((row) => row.what.startsWith('copies'))].map(
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
  const [, , , share] = section.rows[1] ?? []
  return (
    <div>
      <h3>How much of the machine do they cover?</h3>
      {section.rows.length === 0 ? (
        <Unknown note={section.note} />
      ) : (
        <>
          <p className={css.see}>
            {typeof share === 'number' && `${format(share, 'share')} of the node-hours. `}
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
