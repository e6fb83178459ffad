import { printable } from '../printable'
import { BothEnds } from '../ui/BothEnds'
import { PathText } from '../ui/PathText'
import css from './Files.module.css'

/** A path on one line, cut in its middle: the end tells files apart, the beginning says on which file system. */
export function FilePath({ path }: { path: string }) {
  const at = path.replace(/\/$/, '').lastIndexOf('/') + 1
  return (
    <bdi className={css.path} dir="ltr" title={path}>
      {at > 0 && (
        <span className={css.folder}>
          <PathText path={path.slice(0, at)} />
        </span>
      )}
      <span className={css.name}>
        <bdi dir="ltr">
          <BothEnds name={printable(path.slice(at))} />
        </bdi>
      </span>
    </bdi>
  )
}
