import type { Site } from '../../api/types'
import { count, exactly, format } from '../../format'
import { DataTable } from '../../ui/DataTable'
import { Scroll } from '../../ui/Scroll'
import { By } from './By'

type StripeRule = Site['stripe_rules'][number]

/** As the document has it: centres give sizes of files in GB or in GiB. */
function fileSize(bytes: number): string {
  if (bytes > 0 && bytes % 1e12 === 0) return `${count(bytes / 1e12)}\u202fTB`
  if (bytes > 0 && bytes % 1e9 === 0) return `${count(bytes / 1e9)}\u202fGB`
  return format(bytes, 'B')
}

export function StripeRules({ site }: { site: Site }) {
  const titles = new Map(site.file_systems.map((fs) => [fs.id, fs.title]))
  return (
    <section aria-label="Stripes of shared files">
      <h2>Stripes it gives a shared file</h2>
      <Scroll label="Stripes it gives a shared file">
        <DataTable<StripeRule>
          caption="Stripes by size of a file"
          rows={site.stripe_rules}
          keyOf={(rule) => `${rule.file_systems.join()}${rule.from_bytes}`}
          columns={[
            {
              name: 'file system',
              cell: (rule) => rule.file_systems.map((id) => titles.get(id) ?? id).join(', '),
            },
            {
              name: 'size of the file',
              cell: (rule) =>
                rule.to_bytes === null
                  ? `from ${fileSize(rule.from_bytes)}`
                  : `${fileSize(rule.from_bytes)} to ${fileSize(rule.to_bytes)}`,
            },
            {
              name: 'stripes',
              number: true,
              cell: (rule) => (
                <>
                  {rule.stripe_count < 0 ? 'all OSTs' : rule.stripe_count}
                  {rule.stripe_size_bytes !== null && ` × ${exactly(rule.stripe_size_bytes, 'B')}`}
                  {rule.pool && `, pool ${rule.pool}`}
                </>
              ),
            },
            { name: 'what says so', cell: (rule) => <By source={rule.source} /> },
          ]}
        />
      </Scroll>
    </section>
  )
}
