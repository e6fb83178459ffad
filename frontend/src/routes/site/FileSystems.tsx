import { FILE_SYSTEM_NAMES } from '../../analysis/names'
import type { Site } from '../../api/types'
import { count, exactly, plural } from '../../format'
import { DataTable } from '../../ui/DataTable'
import { Missing } from '../../ui/Missing'
import { Scroll } from '../../ui/Scroll'
import css from '../Rules.module.css'
import { By } from './By'

type FileSystem = Site['file_systems'][number]

const STRIPING = {
  yes: 'files may be striped by hand',
  discouraged: 'striping by hand is discouraged',
  impossible: 'striping means nothing here',
} as const

/** The pattern of a mount point as a path: "^/scratch/[^/]+/iops(/|$)" is "/scratch/…/iops". */
const pathOf = (mount: string): string =>
  mount.replace(/^\^/, '').replace('(/|$)', '').replaceAll('[^/]+', '…').replaceAll('[0-9]', '…')

const GIGABYTES = (bytes: number) => `${count(bytes / 1e9)}\u202fGB/s`

/** What the file system gives at most, and what its users are asked not to exceed. */
function limitsOf(fs: FileSystem): string[] {
  const write = fs.peak_write_bandwidth
  const read = fs.peak_read_bandwidth
  return [
    write !== null && write === read ? `${GIGABYTES(write)} written or read` : null,
    write !== null && write !== read ? `${GIGABYTES(write)} written` : null,
    read !== null && write !== read ? `${GIGABYTES(read)} read` : null,
    fs.ost_bandwidth !== null ? `${GIGABYTES(fs.ost_bandwidth)} an OST` : null,
    fs.most_stripes !== null ? plural(fs.most_stripes, 'stripe') : null,
    fs.file_creates_per_s !== null ? `${count(fs.file_creates_per_s)} file creates a second` : null,
    fs.block_size_bytes !== null ? `blocks of ${exactly(fs.block_size_bytes, 'B')}` : null,
  ].filter((said) => said !== null)
}

export function FileSystems({ found }: { found: readonly FileSystem[] }) {
  return (
    <section aria-label="File systems">
      <h2>File systems</h2>
      {found.length === 0 ? (
        <p className="soft">None is named: what the log says of the file system is used.</p>
      ) : (
        <Scroll label="What is known of each">
          <DataTable<FileSystem>
            caption="File systems"
            rows={found}
            keyOf={(fs) => fs.id}
            columns={[
              {
                name: 'file system',
                cell: (fs) => (
                  <>
                    {fs.title}
                    <div className="mono small muted">{fs.mounts.map(pathOf).join(', ')}</div>
                  </>
                ),
              },
              {
                name: 'kind',
                className: 'nowrap',
                cell: (fs) =>
                  fs.kind === 'unknown' ? <Missing>no source</Missing> : FILE_SYSTEM_NAMES[fs.kind],
              },
              { name: 'OSTs', number: true, cell: (fs) => fs.osts ?? <Missing>no source</Missing> },
              {
                name: 'default stripes',
                number: true,
                cell: (fs) => (
                  <>
                    {fs.default_stripe_count ?? <Missing>no source</Missing>}
                    {fs.default_stripe_size_bytes !== null &&
                      ` × ${exactly(fs.default_stripe_size_bytes, 'B')}`}
                    {fs.default_layout === 'progressive' && ' progressive'}
                  </>
                ),
              },
              {
                name: 'at most',
                className: css.limits ?? '',
                cell: (fs) => limitsOf(fs).join('; ') || <Missing>no source</Missing>,
              },
              {
                name: 'striping',
                className: `soft ${css.says}`,
                cell: (fs) => (
                  <>
                    {STRIPING[fs.manual_striping]}
                    {fs.data_sieving === 'wanted' && '; data sieving is wanted'}
                    {fs.note && <div className="small">{fs.note}</div>}
                  </>
                ),
              },
              {
                name: 'what says so',
                className: css.says ?? '',
                cell: (fs) => fs.source && <By source={fs.source} />,
              },
            ]}
          />
        </Scroll>
      )}
    </section>
  )
}
