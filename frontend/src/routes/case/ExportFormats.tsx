import { useMutation } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { stringifySearch } from '../../analysis/search'
import { movedCount } from '../../analysis/thresholds'
import { BASE, problemOf, unreachable } from '../../api/client'
import type { ReportForm } from '../../api/types'
import { useCase } from '../../findings/CaseContext'
import { plural } from '../../format'
import button from '../../ui/Button.module.css'
import { copyText } from '../../ui/clipboard'
import { Notice } from '../../ui/Notice'
import { Panel } from '../../ui/Panel'
import css from './ExportFormats.module.css'

const route = getRouteApi('/cases/$caseId')

const REFUSED = 'The browser did not allow it. Download the text instead.'

interface Format {
  readonly title: string
  readonly says: string
  /** Pasted into something rather than kept. */
  readonly text: boolean
}

const FORMATS: Readonly<Record<ReportForm | 'html', Format>> = {
  html: {
    title: 'Web page',
    says: 'One file with the charts and the timeline in it. It opens without this server, and thresholds still move.',
    text: false,
  },
  markdown: { title: 'Markdown', says: 'For GitLab, GitHub and wikis.', text: true },
  jira: { title: 'Jira markup', says: 'For a Jira or Confluence ticket.', text: true },
  plain: { title: 'Plain text', says: 'For a mail: 72 columns, commands left whole.', text: true },
  json: { title: 'JSON', says: 'The whole document, for a program.', text: false },
}

/** The formats in which a case leaves, as it stands: for the site and the thresholds that hold on the page. */
export default function Formats({ onClose }: { onClose: () => void }) {
  const { caseId, settings } = useCase()
  const { site, set } = route.useSearch()
  const moved = movedCount(settings)
  const address = (form: string) =>
    new URL(`api/v1/cases/${caseId}/export/${form}${stringifySearch({ site, set })}`, BASE).href
  return (
    <Panel
      title="Take this case away"
      about={
        moved === 0
          ? 'Every format states the thresholds that were used.'
          : `With your numbers: ${plural(moved, 'threshold')} moved, and each format says which.`
      }
      onClose={onClose}
    >
      <ul className={css.formats}>
        {Object.entries(FORMATS).map(([form, format]) => (
          <li key={form}>
            <h3>{format.title}</h3>
            <p>{format.says}</p>
            <div>
              <a className={button.button} href={address(form)} download>
                Download<span className="vh"> as {format.title}</span>
              </a>
              {format.text && <Copy title={format.title} address={address(form)} />}
            </div>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

function Copy({ title, address }: { title: string; address: string }) {
  const copy = useMutation({
    mutationFn: async () => {
      if (!(await copyText(await textAt(address)))) throw new Error(REFUSED)
    },
  })
  return (
    <>
      <button type="button" className={button.button} onClick={() => copy.mutate()}>
        Copy<span className="vh"> as {title}</span>
      </button>
      <span role="status">{copy.isSuccess && 'Copied.'}</span>
      {copy.error && (
        <Notice failed title="It could not be copied">
          {copy.error.message}
        </Notice>
      )}
    </>
  )
}

async function textAt(address: string): Promise<string> {
  const answer = await fetch(address).catch(() => {
    throw unreachable()
  })
  if (!answer.ok) throw problemOf(await answer.json().catch(() => null), answer.status)
  return answer.text()
}
