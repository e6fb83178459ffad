import { type CaseDocument, sourceName } from '../analysis/caseDocument'
import type { Agreement } from '../api/types'
import { useCase } from '../findings/CaseContext'
import { asSentence, baseName, format, quantity } from '../format'
import { SeverityMark } from '../ui/Severity'
import { Kind } from './Kind'
import { Place } from './Place'
import { Rows } from './Rows'
import css from './Sources.module.css'

const nameOf = ({ quantity: name, file }: Agreement) => (file ? `${name} of ${baseName(file)}` : name)

/** Where two sources state the same quantity: both figures, and whether they agree. Those that differ stand first. */
export function AgreementTable({ document: { agreement } }: { document: CaseDocument }) {
  if (agreement.length === 0) return null
  const apart = agreement.filter((a) => !a.agrees)
  const rows = [...apart, ...agreement.filter((a) => a.agrees)]
  return (
    <Kind
      id="agreement"
      title="Do the sources agree?"
      differs={apart.length > 0}
      says={
        apart.length === 0
          ? `yes, in all ${agreement.length} figures that two of them state`
          : `they differ in ${apart.length} of ${agreement.length}: ${apart.slice(0, 4).map(nameOf).join(', ')}${apart.length > 4 ? ' …' : ''}`
      }
    >
      <Rows
        caption="Figures that two or more sources state"
        rows={rows}
        keyOf={(a) => `${a.quantity}@${a.file ?? ''}`}
        columns={[
          {
            name: 'quantity',
            cell: (a) => <span className={a.agrees ? '' : css.apart}>{a.quantity}</span>,
          },
          {
            name: 'file',
            cell: (a) => (a.file ? <span className="mono">{baseName(a.file)}</span> : 'the job'),
          },
          { name: 'what each source says', cell: (a) => <Statements agreement={a} /> },
          {
            name: 'difference',
            number: true,
            cell: (a) =>
              a.difference === null ? 'words' : a.difference === 0 ? 'none' : format(a.difference, 'share'),
          },
          { name: 'answer', cell: (a) => <Answer agreement={a} /> },
        ]}
      />
    </Kind>
  )
}

function Statements({ agreement: { statements, unit } }: { agreement: Agreement }) {
  const { document } = useCase()
  return statements.map((statement) => {
    const { exact } = quantity(statement.value, unit)
    return (
      <span className={css.said} key={`${statement.source}${statement.says}`}>
        <span title={exact}>{format(statement.value, unit)}</span>{' '}
        <span className="muted small">
          {statement.says}, {sourceName(document, statement.source)}
        </span>{' '}
        {statement.where.slice(0, 2).map((where) => (
          <span key={JSON.stringify(where)}>
            <Place where={where} />{' '}
          </span>
        ))}
      </span>
    )
  })
}

function Answer({ agreement: { agrees, reason } }: { agreement: Agreement }) {
  return (
    <>
      {agrees ? <SeverityMark mark="clear" /> : <span aria-hidden="true">≠</span>}{' '}
      <span className={agrees ? '' : css.apart}>{agrees ? 'agrees' : 'differs'}</span>
      {reason && <span className="muted small"> {asSentence(reason)}</span>}
      {!agrees && !reason && <span className="muted small"> No reason is known.</span>}
    </>
  )
}
