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
import { useMedia } from '../../ui/useMedia'
import { useKeys } from '../keyboard'
import { type ReplyForm, replyQuery, templatesQuery } from '../queries'
import { TeamEvidence } from '../TeamEvidence'
import { copyRich } from './copyRich'
import css from './Reply.module.css'
import { ROOM_FOR_THE_LINES } from './room'
import { useSafeMarkup, Written } from './Written'

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
  next,
  children,
}: {
  caseId: string
  findings: readonly Tickable[]
  /** Keys of those that are ticked to begin with. */
  first: readonly string[]
  by: DecidedBy
  /** What is done once it is copied. */
  next?: ReactNode
  /** What stands below the text, and comes with it: nobody knows before how long it is. */
  children?: ReactNode
}) {
  const [ticked, setTicked] = useState<readonly string[]>(first)
  const [form, setForm] = useState<ReplyForm>('plain')
  const [template, setTemplate] = useState<string | null>(null)
  // A text that a person changed stays theirs, whatever they look at meanwhile.
  const [drafts, setDrafts] = useState<Readonly<Record<string, string>>>({})
  const there = findings.filter((f) => ticked.includes(f.key)).map((f) => f.key)
  const query = useQuery(replyQuery(caseId, { form, findings: there, template, by }))
  const templates = useQuery(templatesQuery)
  const name = [form, template ?? '', ...there].join()
  const text = drafts[name] ?? query.data?.text ?? ''
  const edited = drafts[name] !== undefined && drafts[name] !== query.data?.text
  const roomy = useMedia(ROOM_FOR_THE_LINES)
  const [changing, setChanging] = useState(false)
  // On a phone lines of 72 columns break in two: what is copied is told as it reads, until it is to be changed.
  const reads = !roomy && form === 'plain' && !edited && !changing
  const flowing = useQuery({
    ...replyQuery(caseId, { form: 'markdown', findings: there, template, by }),
    enabled: reads,
  })
  const markup = useSafeMarkup(reads)
  const waits = query.isPending || (reads && (flowing.isPending || markup === null))
  const id = useId()
  const toggle = (key: string) =>
    setTicked((old) => (old.includes(key) ? old.filter((one) => one !== key) : [...old, key]))
  const write = (draft: string | undefined) =>
    setDrafts(({ [name]: _, ...others }) => (draft === undefined ? others : { ...others, [name]: draft }))
  return (
    <div className={css.reply}>
      {findings.length > 1 && (
        <fieldset className={css.findings}>
          <legend>Findings in this reply</legend>
          {findings.map((finding) => (
            <label key={finding.key}>
              <input
                type="checkbox"
                checked={ticked.includes(finding.key)}
                onChange={() => toggle(finding.key)}
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
      )}
      <div className={css.bar}>
        <fieldset className={css.segments}>
          <legend className="vh">Form of the reply</legend>
          {FORMS.map(({ id: one, title }) => (
            <label key={one}>
              <input type="radio" name={`${id}-form`} checked={form === one} onChange={() => setForm(one)} />
              {title}
            </label>
          ))}
        </fieldset>
        {(templates.data?.length ?? 0) > 1 && (
          <select
            className={button.select}
            aria-label="Template"
            value={template ?? query.data?.template ?? ''}
            onChange={({ target }) => setTemplate(target.value)}
          >
            {templates.data?.map((one) => (
              <option key={one.id} value={one.id}>
                {one.title}
              </option>
            ))}
          </select>
        )}
        {edited && (
          <button type="button" className={button.bare} onClick={() => write(undefined)}>
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
      ) : reads && flowing.data ? (
        <>
          <div className={css.preview}>
            <Written text={flowing.data.text} as="markdown" label="The reply as it reads" />
          </div>
          <p>
            <button type="button" className={button.button} onClick={() => setChanging(true)}>
              Change the text
            </button>
          </p>
        </>
      ) : (
        <>
          <label className="vh" htmlFor={`${id}-text`}>
            Text of the reply
          </label>
          <textarea
            id={`${id}-text`}
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
      )}
      <p className="small muted" role="status">
        {waits
          ? ''
          : there.length === 0
            ? 'No finding is ticked: the reply is about the sentence on top of the case.'
            : `About ${plural(there.length, 'finding')}${edited ? ', with your changes' : ''}.`}
      </p>
      {!waits && children}
    </div>
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
