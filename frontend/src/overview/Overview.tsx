import { useId, useState } from 'react'
import type { CaseDocument } from '../analysis/caseDocument'
import { readInPart, sawNothing } from '../analysis/headline'
import { useWidth } from '../charts/frame/useWidth'
import { baseName, format, plural } from '../format'
import { printable } from '../printable'
import { isOfAnotherJob } from '../sources/ofAnotherJob'
import { textsAlone } from '../sources/textEvidence'
import button from '../ui/Button.module.css'
import facts from '../ui/Facts.module.css'
import { Explained } from '../ui/Term'
import css from './Overview.module.css'
import { Schematic } from './Schematic'
import { blamedGroup, schemeOf, schemeWords, systemWords, titleOf } from './scheme'

/** How the job does its I/O: its pattern as a small drawing, and what it used. */
export function Overview({ document }: { document: CaseDocument }) {
  const scheme = schemeOf(document)
  const heading = useId()
  const [room, width] = useWidth<HTMLDivElement>()
  if (!scheme && sawNothing(document))
    return (
      // biome-ignore lint/a11y/useSemanticElements: as below
      <div className={css.overview} role="group" aria-labelledby={heading}>
        <div>
          <h2 id={heading}>No I/O was recorded</h2>
          <p className={css.words}>
            The evidence was read whole, and in it no file is opened, read or written.
          </p>
        </div>
      </div>
    )
  const blamed = blamedGroup(document)
  const files = blamed ? `${blamed.label} ${blamed.files === 1 ? 'is' : 'are'}` : 'the files are'
  // What the texts say stands below, and what else is lacking is said there once.
  if (!scheme && textsAlone(document)) return null
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields; landmarks of one name would stand side by side in the gallery
    <div className={css.overview} role="group" aria-labelledby={heading}>
      <div>
        <h2 id={heading}>{scheme ? titleOf(scheme) : `How ${files} used is not recorded`}</h2>
        <p className={css.words}>
          <Explained>
            {scheme
              ? schemeWords(scheme)
              : readInPart(document)
                ? 'The log was read in part, and what says which ranks used which files is missing from it.'
                : notSaid(document)}
          </Explained>
        </p>
        <div ref={room} aria-hidden="true">
          {scheme && <Schematic scheme={scheme} width={width} />}
        </div>
      </div>
      <Used document={document} />
    </div>
  )
}

function notSaid({ sources, files_total, metrics }: CaseDocument): string {
  if (!sources.some((source) => source.kind === 'darshan_log' && !isOfAnotherJob(source)))
    return 'No source says how the ranks share the files: a Darshan log does, and so do the statistics of Cray MPICH for MPI-IO.'
  return files_total > 0 && metrics['io.bytes']?.value === 0
    ? 'Of the files in the log no byte is counted as read or written.'
    : 'The log has no record of a file by which to tell how the ranks share it.'
}

/** Number of file systems named here, those with most bytes. */
const SYSTEMS = 3

function Used({ document }: { document: CaseDocument }) {
  const { charts } = document
  const layers = layersOf(document)
  const { groups, files_total, job, metrics } = document
  const command = commandOf(job)
  const alike = groups.length > 1 && groups.length < files_total
  // Of one alone the facts of the job have said it.
  const several = charts.file_systems.length > 1
  const least = metrics['io.bytes']?.bound === 'lower' ? 'at least ' : ''
  return (
    <dl className={`${facts.facts} ${css.used}`} aria-label="What the job used">
      {command !== null && (
        <div>
          <dt>Command</dt>
          <dd>
            <CommandLine of={command} />
          </dd>
        </div>
      )}
      <div>
        <dt>Layers</dt>
        <dd>{layers.length === 0 ? 'not recorded' : layerWords(layers)}</dd>
      </div>
      <div>
        <dt>File systems</dt>
        <dd>
          {charts.file_systems.length === 0
            ? 'not recorded'
            : charts.file_systems.slice(0, SYSTEMS).map((system) => (
                <span key={`${system.kind}${system.title}`}>
                  {systemWords(system)}
                  {several && (
                    <small>
                      {' '}
                      {plural(system.files, 'file')}
                      {system.moved_bytes !== null && `, ${least}${format(system.moved_bytes, 'B')}`}
                    </small>
                  )}
                </span>
              ))}
          {charts.file_systems.length > SYSTEMS && (
            <small>and {plural(charts.file_systems.length - SYSTEMS, 'other')}</small>
          )}
        </dd>
      </div>
      <div>
        <dt>Files</dt>
        <dd>
          {files_total === 0 ? 'none recorded' : plural(files_total, 'file')}
          {alike && <small> in {plural(groups.length, 'group')} with similar names and use</small>}
        </dd>
      </div>
    </dl>
  )
}

/** Letters in the three lines that it is folded to, of 36 each (Overview.module.css). */
const THREE_LINES = 3 * 36

/** Folded where it is long. A button unfolds it, since a tooltip would need a mouse. */
function CommandLine({ of }: { of: string }) {
  const [whole, setWhole] = useState(false)
  const long = of.length > THREE_LINES
  return (
    <>
      <span className={`mono small ${css.command} ${long && !whole ? css.folded : ''}`}>{of}</span>
      {long && (
        <button
          type="button"
          className={`${button.link} small`}
          aria-expanded={whole}
          onClick={() => setWhole(!whole)}
        >
          {whole ? 'first three lines' : 'whole command'}
        </button>
      )}
    </>
  )
}

/** The program as it was started, without its folder, and what it was given; null where it was given nothing. What was
 * started may be a copy of the job's program, as `+pat` of CrayPAT is. */
function commandOf({ command_line }: CaseDocument['job']): string | null {
  const [program = '', ...given] = (command_line ?? '').trim().split(/(?<=^\S+)\s+/)
  return given.length === 0 ? null : printable([baseName(program), ...given].join(' '))
}

/** The layers that counted something; where no source counts by layer, those through which the files are known to be
 * used. */
function layersOf({ charts, files }: CaseDocument): readonly string[] {
  const counted = charts.layers.filter((layer) => layer.bytes_read || layer.bytes_written || layer.calls)
  return counted.length > 0
    ? counted.map((layer) => layer.layer)
    : [...new Set(files.flatMap((file) => file.layers))]
}

/** "HDF5 → MPI-IO → POSIX, STDIO": what is called through what; streams stand beside. */
function layerWords(layers: readonly string[]): string {
  const through = layers.filter((layer) => layer !== 'STDIO').join(' → ')
  return [through, ...layers.filter((layer) => layer === 'STDIO')].filter(Boolean).join(', ')
}
