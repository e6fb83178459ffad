import type { CaseDocument } from '../analysis/caseDocument'
import { FILE_SYSTEM_NAMES } from '../analysis/names'
import { baseName, count, exactly, plural } from '../format'
import { Missing } from '../ui/Missing'
import { firstFew } from './firstFew'
import { Kind } from './Kind'
import { Place } from './Place'
import { Rows } from './Rows'
import { at, type PartOf, type TextEvidence, textEvidence } from './textEvidence'

type Layout = PartOf<'storage_layout'>

/** Of Lustre it is the layout of a directory: its files have theirs. */
const systemOf = ({ file_system }: Layout): string =>
  file_system === 'lustre' ? `${FILE_SYSTEM_NAMES.lustre} directory` : FILE_SYSTEM_NAMES[file_system]

/** How GPFS, BeeGFS and DAOS lay data out, and over which metadata targets Lustre spreads a directory. */
export function StorageLayouts({ document }: { document: CaseDocument }) {
  const layouts = textEvidence(document, 'storage_layout')
  if (layouts.length === 0) return null
  return (
    <Kind id="storage" title="Storage layouts" says={firstFew(layouts, ({ part }) => summary(part))}>
      <Rows<TextEvidence<'storage_layout'>>
        caption="Layouts of storage, from the file systems' own commands"
        rows={layouts}
        keyOf={({ source, part }) => `${source}:${part.lines.first}`}
        columns={[
          {
            name: 'of',
            cell: ({ part }) =>
              part.path === null ? (
                <Missing>not stated</Missing>
              ) : (
                <span className="mono" title={part.path}>
                  {baseName(part.path)}
                </span>
              ),
          },
          { name: 'file system', cell: ({ part }) => systemOf(part) },
          {
            name: 'block or chunk',
            number: true,
            cell: ({ part }) =>
              part.unit_bytes === null ? <Missing>not stated</Missing> : exactly(part.unit_bytes, 'B'),
          },
          {
            name: 'targets',
            number: true,
            cell: ({ part }) => (part.targets === null ? <Missing>not stated</Missing> : count(part.targets)),
          },
          {
            name: 'pattern',
            cell: ({ part }) => (
              <>
                {part.pattern ?? ''}
                {!part.complete && <span className="muted small"> the text is cut off</span>}
              </>
            ),
          },
          {
            name: 'where',
            cell: ({ source, part }) => <Place where={at(source, part.lines.first, part.lines.last)} />,
          },
        ]}
      />
    </Kind>
  )
}

const summary = (part: Layout): string =>
  [
    systemOf(part),
    part.unit_bytes !== null && exactly(part.unit_bytes, 'B'),
    part.targets !== null && plural(part.targets, 'target'),
  ]
    .filter(Boolean)
    .join(', ')
