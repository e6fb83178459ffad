import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { CaseDocument } from '../analysis/caseDocument'
import { validateCaseSearch } from '../analysis/search'
import { EXPORTED_CASE } from '../api/embedded'
import { useShown } from '../charts/frame/linked'
import { FileCell } from '../files/FileCells'
import { FilePath } from '../files/FilePath'
import { count, plural } from '../format'
import section from '../ui/Section.module.css'
import table from '../ui/Table.module.css'
import { useCase } from './CaseContext'
import css from './FileTable.module.css'

const HEADS = [
  { column: 'pattern', name: 'pattern', title: 'how its ranks use it' },
  { column: 'bytes_written', name: 'written', title: 'bytes written, at the highest layer' },
  { column: 'bytes_read', name: 'read', title: 'bytes read, at the highest layer' },
  {
    column: 'time_s',
    name: 'time',
    title: 'seconds of the slowest rank; in several files together at most, of one rank',
  },
  {
    column: 'mean_metadata_s',
    name: 'metadata',
    title: 'of it in opens, stats and closes; of a file that ranks share, of a rank on average',
  },
  { column: 'stripe_count', name: 'stripes', title: 'Lustre stripe count and size' },
  { column: 'ranks', name: 'ranks', title: 'ranks that opened it, or each of several files' },
] as const

/** The files that took longest; files with similar names share a line. All files are in a view of their own. */
export function FileTable({ document }: { document: CaseDocument }) {
  if (document.files_total === 0) return null
  const listed = document.longest.reduce((all, { files }) => all + files, 0)
  return (
    <section id="files" aria-labelledby="files-heading">
      <div className={section.row}>
        <h2 id="files-heading">Files</h2>
        <p>
          {plural(document.files_total, 'file')}
          {listed < document.files_total && '; those that took longest'}
        </p>
        {EXPORTED_CASE === null && <AllFiles total={document.files_total} />}
      </div>
      <table className={`${table.table} ${css.files}`} aria-label="Files that took longest">
        <thead>
          <tr>
            <th scope="col">file</th>
            {HEADS.map(({ column, name, title }) => (
              <th
                key={column}
                scope="col"
                className={`${column === 'pattern' ? '' : 'num'} ${css[column] ?? ''}`}
                title={title}
              >
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {document.longest.map(({ files, together }) => (
            <Row key={`${together.group} ${together.path}`} group={together.group}>
              <th scope="row">
                <span className={css.path}>
                  <FilePath path={together.path} />
                  {files > 1 && <span className={css.more}>and {plural(files - 1, 'file')} like it</span>}
                </span>
              </th>
              {HEADS.map(({ column }) => (
                <td key={column} className={`${column === 'pattern' ? '' : 'num'} ${css[column] ?? ''}`}>
                  <FileCell file={together} column={column} together={files > 1} />
                </td>
              ))}
            </Row>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** Rows are marked, not faded: text has to stay readable while something else is highlighted. */
function Row({ group, children }: { group: string; children: ReactNode }) {
  const { point, hits } = useShown()
  const link = { kind: 'group', id: group } as const
  return (
    <tr
      className={hits(link) ? css.shown : ''}
      onPointerEnter={() => point([link])}
      onPointerLeave={() => point([])}
    >
      {children}
    </tr>
  )
}

function AllFiles({ total }: { total: number }) {
  const { caseId } = useCase()
  return (
    <Link
      className={`${css.all} screen`}
      to="/cases/$caseId/files"
      params={{ caseId }}
      search={(old) => validateCaseSearch(old as Record<string, unknown>)}
    >
      {total === 1 ? 'Everything about it' : `All ${count(total)} files`}
    </Link>
  )
}
