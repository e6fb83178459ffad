import { useQuery } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { useEffect } from 'react'
import { documentsQuery } from '../api/queries'
import type { CitedDocument, DocumentRef, RuleView } from '../api/types'
import { Cite } from '../ui/cite/Cite'
import { sectionAddress, sourceAnchor } from '../ui/cite/citation'
import { Scroll } from '../ui/Scroll'
import table from '../ui/Table.module.css'
import css from './Rules.module.css'

/** What the rule and its numbers rest on: each document with the sections that are cited, and a few of their words. */
export function RuleSources({ rule }: { rule: RuleView }) {
  const own = rule.thresholds.some((t) => t.stated_by.document === 'project')
  const also = useAdvising(rule)
  return (
    <section id="sources" aria-label="Sources">
      <h2>Sources</h2>
      <Scroll label="Sources">
        <table className={`${table.table} ${css.sources}`} aria-label="Sources">
          <tbody>
            {rule.documents
              .filter((d) => d.key !== 'project')
              .map((document) => (
                <DocumentRow
                  key={document.key}
                  document={document}
                  sections={sectionsIn(rule, document.key)}
                  quotations={rule.quotations}
                />
              ))}
            {also && (
              <DocumentRow
                document={also.document}
                sections={also.quotations.map(({ section }) => section)}
                quotations={also.quotations}
              />
            )}
            {own && (
              <tr>
                <th scope="row">
                  <Cite document="project" />
                </th>
                <td colSpan={2}>
                  Set by this project: no document gives the number. A site can set another, and must say why.
                </td>
              </tr>
            )}
          </tbody>
        </table>
      </Scroll>
    </section>
  )
}

/** The document that the address asks for, where the rule itself does not cite it: what it advises on some jobs may. */
function useAdvising(rule: RuleView): CitedDocument | undefined {
  const { hash } = useLocation()
  const cited = rule.documents.some(({ key }) => sourceAnchor(key) === hash)
  const all = useQuery({ ...documentsQuery, enabled: hash.startsWith(sourceAnchor('')) && !cited })
  const found = cited ? undefined : all.data?.find(({ document }) => sourceAnchor(document.key) === hash)
  useEffect(() => {
    if (found) document.getElementById(sourceAnchor(found.document.key))?.scrollIntoView()
  }, [found])
  return found
}

function DocumentRow({
  document,
  sections,
  quotations,
}: {
  document: DocumentRef
  sections: readonly string[]
  quotations: RuleView['quotations']
}) {
  return (
    <tr id={sourceAnchor(document.key)}>
      <th scope="row">
        <Cite document={document.key} />
      </th>
      <td>
        <DocumentTitle document={document} />
        <ul className={css.sections}>
          {sections.map((section) => (
            <CitedSection key={section} document={document} section={section} quotations={quotations} />
          ))}
        </ul>
      </td>
      <td className="soft">
        {document.publisher}, {document.systems}
        {document.read_on && (
          <>
            <br />
            <small className="muted">read on {document.read_on}</small>
          </>
        )}
      </td>
    </tr>
  )
}

function DocumentTitle({ document }: { document: DocumentRef }) {
  if (!document.url) return <>{document.title}. </>
  return (
    <>
      <a href={document.url} rel="noreferrer noopener">
        {document.title}
      </a>
      .{' '}
    </>
  )
}

function sectionsIn(rule: RuleView, key: string): readonly string[] {
  const sections = [...rule.citations, ...rule.thresholds.map((t) => t.stated_by)]
    .filter((c) => c.document === key)
    .map((c) => c.section)
  return [...new Set(sections)]
}

/** A section with the way to it, and a few of its words. */
function CitedSection({
  document: { key, url },
  section,
  quotations,
}: {
  document: DocumentRef
  section: string
  quotations: RuleView['quotations']
}) {
  const quotes = quotations.find((one) => one.document === key && one.section === section)?.quotes ?? []
  return (
    <li>
      {url ? (
        <a href={sectionAddress(url, section)} rel="noreferrer noopener">
          {section}
        </a>
      ) : (
        <i>{section}</i>
      )}
      {quotes.map((quote) => (
        <q key={quote}>{quote}</q>
      ))}
    </li>
  )
}
