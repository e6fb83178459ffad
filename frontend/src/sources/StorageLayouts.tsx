import type { CaseDocument } from '../analysis/caseDocument'
import { baseName, count, exactly, plural } from '../format'
import { Missing } from '../ui/Missing'
import { Kind } from './Kind'
import { Place } from './Place'
import { Rows } from './Rows'
import { at, type PartOf, type TextEvidence, textEvidence } from './textEvidence'

type Layout = PartOf<'storage_layout'>

const SYSTEMS: Record<Layout['file_system'], string> = {
  gpfs: 'GPFS',
  beegfs: 'BeeGFS',
  daos: 'DAOS',
  lustre: 'Lustre directory',
}

/** How GPFS, BeeGFS and DAOS lay data out, and over which metadata targets Lustre spreads a directory. */
export function StorageLayouts({ document }: { document: CaseDocument }) {
  const layouts = textEvidence(document, 'storage_layout')
  if (layouts.length === 0) return null
  return (
    <Kind
      id="storage"
      title="Storage layouts"
      says={layouts
        .slice(0, 3)
        .map(({ part }) => summary(part))
        .join('; ')}
    >
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
          { name: 'file system', cell: ({ part }) => SYSTEMS[part.file_system] },
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

const summary = ({ file_system, unit_bytes, targets }: Layout): string =>
  [
    SYSTEMS[file_system],
    unit_bytes !== null && exactly(unit_bytes, 'B'),
    targets !== null && plural(targets, 'target'),
  ]
    .filter(Boolean)
    .join(', ')
