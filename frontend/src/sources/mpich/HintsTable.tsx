import type { CaseDocument } from '../../analysis/caseDocument'
import { baseName, plural } from '../../format'
import { Missing } from '../../ui/Missing'
import { Block, Kind } from '../Kind'
import { Place } from '../Place'
import { Rows } from '../Rows'
import css from '../Sources.module.css'
import { type HintGroup, type HintRow, hintGroups } from './hints'

const PRINTED: Record<NonNullable<HintGroup['printedBy']>, string> = {
  'cray-mpich': 'Cray MPICH, MPICH_MPIIO_HINTS_DISPLAY',
  romio: 'ROMIO, ROMIO_PRINT_HINTS',
  application: 'the program itself',
  ior: 'IOR',
  ompio: 'Open MPI, io_ompio_verbose_info_parsing',
}

/** Hints of each file as displayed, beside what was asked for. */
export function HintsTable({ document }: { document: CaseDocument }) {
  const groups = hintGroups(document)
  if (groups.length === 0) return null
  const ignored = new Set(groups.flatMap((g) => g.rows.filter((r) => r.followed === false).map((r) => r.key)))
  const files = new Set(groups.flatMap((g) => g.files)).size
  return (
    <Kind
      id="hints"
      title="MPI-IO hints"
      differs={ignored.size > 0}
      says={
        ignored.size > 0
          ? `asked for and not followed: ${[...ignored].join(', ')}`
          : groups.some((g) => g.lists > 0)
            ? `as displayed${files > 0 ? ` for ${plural(files, 'file')}` : ''}`
            : 'asked for; not displayed'
      }
    >
      <p className={css.note}>
        <span className={css.square} aria-hidden="true" />
        marks hints that decide how MPI-IO works: collective buffering, data sieving, aggregators, striping.
        Shown is what was set; whether the library could follow it, MPICH_MPIIO_STATS tells.
      </p>
      {groups.map((group) => (
        <List key={group.id} group={group} />
      ))}
    </Kind>
  )
}

function List({ group }: { group: HintGroup }) {
  return (
    <Block title={<Files group={group} />} about={<About group={group} />}>
      <Rows<HintRow>
        caption={`Hints of ${group.files[0] ?? 'an open file'}`}
        rows={group.rows.filter((row) => row.matters || row.asked)}
        folded={group.rows.filter((row) => !row.matters && !row.asked)}
        foldedWords={['other hint', 'other hints']}
        keyOf={(row) => `${row.key}@${JSON.stringify(row.shown?.where ?? row.asked?.where)}`}
        page={40}
        columns={[
          {
            name: 'hint',
            cell: (row) => (
              <span className={`mono ${row.matters ? css.matters : css.quietly}`}>
                {row.key}
                {row.matters && <span className="vh"> (decides how MPI-IO works)</span>}
              </span>
            ),
          },
          {
            name: group.stage === 'requested' ? 'passed to the open' : 'displayed',
            cell: (row) =>
              row.shown ? (
                <>
                  <span className="mono">{row.shown.value || '(empty)'}</span>{' '}
                  <Place where={row.shown.where} />
                </>
              ) : (
                <Missing>not displayed</Missing>
              ),
          },
          {
            name: 'asked for',
            title: 'MPICH_MPIIO_HINTS in the job script or environment, or what IOR passed',
            cell: (row) =>
              row.asked ? (
                <>
                  <span className="mono">{row.asked.value}</span> <Place where={row.asked.where} />
                  {row.followed === false && <span className={css.apart}> not followed</span>}
                </>
              ) : (
                <span className="muted">
                  <span aria-hidden="true">–</span>
                  <span className="vh">not that the sources say</span>
                </span>
              ),
          },
        ]}
      />
    </Block>
  )
}

function Files({ group: { files, lists } }: { group: HintGroup }) {
  const [first, ...others] = files
  if (lists === 0) return <>Asked for{first === undefined ? '' : ` for ${files.join(', ')}`}</>
  if (first === undefined)
    return <>{lists > 1 ? plural(lists, 'file') : 'A file'} that the text does not name</>
  const shown = others.slice(0, 2).map(baseName)
  const more = others.length - shown.length
  return (
    <span title={files.slice(0, 20).join('\n')}>
      {[baseName(first), ...shown].join(', ')}
      {more > 0 && ` and ${plural(more, 'more file')} with the same hints`}
    </span>
  )
}

function About({ group }: { group: HintGroup }) {
  const facts = [
    group.printedBy
      ? `printed by ${PRINTED[group.printedBy]}`
      : 'no text displays the hints of the open file',
    group.rank !== null && `by rank ${group.rank}`,
    group.lists > 1 && `${group.lists} times the same`,
    !group.complete && 'the list is cut off',
    !group.trusted && 'lines of several lists are mixed: none of these may be used',
  ]
  return (
    <>
      {facts.filter(Boolean).join(', ')} {group.where && <Place where={group.where} />}
    </>
  )
}
