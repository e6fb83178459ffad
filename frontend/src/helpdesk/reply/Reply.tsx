import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useId, useState } from 'react'
import type { DecidedBy } from '../../analysis/search'
import type { Grade } from '../../api/types'
import { plural } from '../../format'
import button from '../../ui/Button.module.css'
import { copyText } from '../../ui/clipboard'
import { Notice, Skeleton } from '../../ui/Notice'
import { QueryProblem } from '../../ui/QueryProblem'
import { SeverityMark } from '../../ui/Severity'
import { usePrinting } from '../../ui/usePrinting'
import { useKeys } from '../keyboard'
import { type ReplyForm, templatesQuery } from '../queries'
import { TeamEvidence } from '../TeamEvidence'
import { copyRich } from './copyRich'
import css from './Reply.module.css'
import { type ReplyDraft, useReply } from './useReply'
import { Written } from './Written'

/** A finding that can be ticked. */
export interface Tickable {
  readonly key: string
  readonly rule: string
  readonly title: string
  readonly severity: Grade
  /** What explains it, or which files it is on. */
  readonly note: string | null
}

const FORMS: readonly { readonly id: ReplyForm; readonly title: string }[] = [
  { id: 'plain', title: 'Text' },
  { id: 'markdown', title: 'Markdown' },
  { id: 'jira', title: 'Jira' },
  { id: 'html', title: 'HTML' },
]

/** The answer to a ticket: written by the server of the findings ticked, changed by a person, copied with one click. */
export function Reply({
  caseId,
  findings,
  first,
  by,
  unread = false,
  next,
  children,
}: {
  caseId: string
  findings: readonly Tickable[]
  /** Keys of those that are ticked to begin with. */
  first: readonly string[]
  by: DecidedBy
  /** Whether the case could not be read: then the reply says which file, and why. */
  unread?: boolean
  /** What is done once it is copied. */
  next?: ReactNode
  /** What stands below it, and comes with the text: nobody knows before how long that is. */
  children?: ReactNode
}) {
  const reply = useReply(caseId, findings, first, by)
  const { query, form, text, ticked, edited, waits } = reply
  const id = useId()
  return (
    <>
      <section aria-labelledby={id} className={css.reply}>
        <h2 id={id}>The reply</h2>
        {findings.length > 1 && <Ticks findings={findings} ticked={ticked} onToggle={reply.toggle} />}
        <div className={css.bar}>
          <Forms form={form} onForm={reply.setForm} />
          <Templates template={reply.template} onTemplate={reply.setTemplate} />
          {edited && (
            <button type="button" className={button.bare} onClick={() => reply.write(undefined)}>
              Undo my changes
            </button>
          )}
          <CopyReply text={text} form={form} ready={query.data !== undefined}>
            {next}
          </CopyReply>
        </div>
        {waits ? (
          <Skeleton height={320} />
        ) : query.error && !query.data ? (
          <QueryProblem query={query} what="The reply" />
        ) : (
          <Text reply={reply} />
        )}
        <p className="small muted" role="status">
          {waits
            ? ''
            : unread
              ? 'About the files that could not be read.'
              : ticked.length === 0
                ? 'No finding is ticked: the reply is about the sentence on top of the case.'
                : `About ${plural(ticked.length, 'finding')}${edited ? ', with your changes' : ''}.`}
        </p>
      </section>
      {!waits && children}
    </>
  )
}

function Ticks({
  findings,
  ticked,
  onToggle,
}: {
  findings: readonly Tickable[]
  ticked: readonly string[]
  onToggle: (key: string) => void
}) {
  return (
    <fieldset className={css.findings}>
      <legend>Findings in this reply</legend>
      {findings.map((finding) => (
        <label key={finding.key}>
          <input
            type="checkbox"
            checked={ticked.includes(finding.key)}
            onChange={() => onToggle(finding.key)}
          />
          <SeverityMark mark={finding.severity} label />
          <span>
            {finding.title} {finding.note && <small>{finding.note}</small>}
            <small className={css.team}>
              <TeamEvidence rule={finding.rule} />
            </small>
          </span>
        </label>
      ))}
    </fieldset>
  )
}

function Forms({ form, onForm }: { form: ReplyForm; onForm: (form: ReplyForm) => void }) {
  const id = useId()
  return (
    <fieldset className={`${css.segments} screen`}>
      <legend className="vh">Form of the reply</legend>
      {FORMS.map(({ id: one, title }) => (
        <label key={one}>
          <input type="radio" name={id} checked={form === one} onChange={() => onForm(one)} />
          {title}
        </label>
      ))}
    </fieldset>
  )
}

/** Nothing where there is one only. */
function Templates({ template, onTemplate }: { template: string; onTemplate: (id: string) => void }) {
  const templates = useQuery(templatesQuery).data ?? []
  if (templates.length < 2) return null
  return (
    <select
      className={button.select}
      aria-label="Template"
      value={template}
      onChange={({ target }) => onTemplate(target.value)}
    >
      {templates.map((one) => (
        <option key={one.id} value={one.id}>
          {one.title}
        </option>
      ))}
    </select>
  )
}

/** As it reads where its lines do not fit, else as it is copied, to be changed. */
function Text({ reply: { form, text, reads, change, write } }: { reply: ReplyDraft }) {
  const id = useId()
  const printing = usePrinting()
  if (reads.text !== null) {
    return (
      <>
        <div className={css.preview}>
          <Written text={reads.text} as="markdown" label="The reply as it reads" />
        </div>
        <p>
          <button type="button" className={button.button} onClick={change}>
            Change the text
          </button>
        </p>
      </>
    )
  }
  // A field is never broken between two sheets: its end would lie under what follows.
  if (printing) return <pre className={css.printed}>{text}</pre>
  return (
    <>
      <label className="vh" htmlFor={id}>
        Text of the reply
      </label>
      <textarea
        id={id}
        className={css.text}
        spellCheck={form !== 'html'}
        rows={Math.min(40, text.split('\n').length + 1)}
        value={text}
        onChange={({ target }) => write(target.value)}
      />
      {(form === 'markdown' || form === 'html') && (
        <div className={css.preview}>
          <h3>As it will read</h3>
          <Written text={text} as={form} label="Preview of the reply" />
        </div>
      )}
    </>
  )
}

function CopyReply({
  text,
  form,
  ready,
  children,
}: {
  text: string
  form: ReplyForm
  ready: boolean
  children: ReactNode
}) {
  const [state, setState] = useState<{ text: string; done: boolean } | null>(null)
  const copy = async () => {
    const done = await (form === 'html' ? copyRich(text) : copyText(text))
    setState({ text, done })
  }
  useKeys({ r: () => ready && copy() })
  // What was copied is no longer what stands there.
  const said = state?.text === text ? state : null
  return (
    <div className={css.copy}>
      <button type="button" className={button.main} disabled={!ready} onClick={copy}>
        {said?.done ? 'Copied' : 'Copy reply'}
      </button>
      {children}
      <span className="vh" role="status">
        {said?.done && 'The reply is on the clipboard.'}
      </span>
      {said && !said.done && (
        <Notice failed title="It could not be copied">
          The browser did not allow it: select the text and copy it.
        </Notice>
      )}
    </div>
  )
}
