import { sum } from 'd3-array'
import { useId, useState } from 'react'
import { type CaseDocument, sourceName } from '../analysis/caseDocument'
import { plural } from '../format'
import button from '../ui/Button.module.css'
import { DOT } from '../ui/Dotted'
import { Block, type Fact, Facts, Kind } from './Kind'
import { Place } from './Place'
import { Rows } from './Rows'
import css from './Sources.module.css'
import { at, type PartOf, type TextEvidence, textEvidence } from './textEvidence'

type Version = PartOf<'mpich_environment'>['versions'][number]

/** The banner is the library that ran; a module is what was loaded. */
const best = (versions: readonly Version[]): Version | undefined =>
  versions.find((v) => v.source === 'banner') ?? versions[0]

/** The MPI library's version and settings: those of MPI-IO first, the others when asked for. */
export function Environment({ document }: { document: CaseDocument }) {
  const shown = textEvidence(document, 'mpich_environment')
  if (shown.length === 0) return null
  const versions = [...new Set(shown.flatMap(({ part }) => best(part.versions)?.version ?? []))]
  const settings = sum(shown, ({ part }) => part.settings.length)
  return (
    <Kind
      id="environment"
      title="MPI library"
      says={[
        versions.length > 0 && `Cray MPICH ${versions.join(' and ')}`,
        settings > 0 ? plural(settings, 'setting') : 'its settings are not displayed',
      ]
        .filter(Boolean)
        .join(', ')}
    >
      {shown.map((one) => (
        <Display
          key={`${one.source}:${one.part.lines.first}`}
          said={one}
          name={sourceName(document, one.source)}
        />
      ))}
    </Kind>
  )
}

function Display({
  said: { source, part },
  name,
}: {
  said: TextEvidence<'mpich_environment'>
  name: string
}) {
  const id = useId()
  const [words, setWords] = useState('')
  const wanted = words.trim().toLowerCase()
  const found = part.settings.filter((s) => `${s.name} ${s.value}`.toLowerCase().includes(wanted))
  const ofMpiio = found.filter((s) => s.name.startsWith('MPICH_MPIIO_'))
  const others = found.filter((s) => !s.name.startsWith('MPICH_MPIIO_'))
  const versions = part.versions.map(
    (v): Fact => ({
      name: v.source === 'banner' ? 'printed version' : 'loaded module',
      value: [v.version, v.base, v.build].filter(Boolean).join(DOT),
      place: <Place where={at(source, v.line)} />,
    }),
  )
  return (
    <Block
      title={name}
      about={[
        part.rank !== null && `displayed by rank ${part.rank}`,
        part.displays > 1 && `${part.displays} times the same`,
        !part.complete && 'the display is cut off',
        ...part.notes,
      ]
        .filter(Boolean)
        .join('; ')}
    >
      <Facts
        facts={[
          ...versions,
          part.processor !== null && {
            name: 'processor',
            value: part.processor,
            place: part.processor_line !== null && <Place where={at(source, part.processor_line)} />,
          },
        ]}
      />
      {part.settings.length > 0 && (
        <>
          <label className="vh" htmlFor={id}>
            Filter settings
          </label>
          <input
            id={id}
            type="search"
            className={`${button.field} ${css.search}`}
            placeholder="name or value"
            value={words}
            onChange={(event) => setWords(event.target.value)}
          />
          {found.length === 0 && <p className="muted">No setting has “{words}” in its name or value.</p>}
          <Rows
            key={wanted === '' ? 'all' : 'found'}
            caption="Settings of the MPI library"
            rows={wanted === '' ? ofMpiio : found}
            folded={wanted === '' ? others : []}
            foldedWords={['other setting', 'other settings']}
            keyOf={(s) => `${s.name}@${s.line}`}
            page={40}
            columns={[
              { name: 'setting', cell: (s) => <span className="mono">{s.name}</span> },
              {
                name: 'value',
                cell: (s) =>
                  s.value === '' || s.value === 'NULL' ? (
                    <span className="muted">not set ({s.value || 'empty'})</span>
                  ) : (
                    <span className="mono">{s.value}</span>
                  ),
              },
              { name: 'section', cell: (s) => <span className="muted">{s.section ?? 'none'}</span> },
              { name: 'where', cell: (s) => <Place where={at(source, s.line)} /> },
            ]}
          />
        </>
      )}
    </Block>
  )
}
