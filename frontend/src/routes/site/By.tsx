import { useQuery } from '@tanstack/react-query'
import { Fragment } from 'react'
import { documentsQuery } from '../../api/queries'
import type { Site } from '../../api/types'
import { Cite } from '../../ui/cite/Cite'

/** Who says so: each section of the document. */
export function By({ source }: { source: Site['thresholds'][number]['source'] }) {
  const documents = useQuery(documentsQuery)
  const found = documents.data?.find(({ document }) => document.key === source.document)?.document
  const of = found && { ...found, read_on: source.retrieved }
  return [source.section, ...source.also].map((section) => (
    <Fragment key={section}>
      <Cite document={source.document} section={section} of={of} says={source.says} />{' '}
    </Fragment>
  ))
}
