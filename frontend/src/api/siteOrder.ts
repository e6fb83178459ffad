/** What is listed of a site. */
interface Listed {
  readonly title: string
  readonly status: 'current' | 'retired' | 'generic'
}

/** As they are looked for: those of no centre first, then centres by name. By their ids, "Any system" would stand among the
 * names that begin with F, G and L. */
export const inOrder = <S extends Listed>(sites: readonly S[]): S[] =>
  [...sites].sort(
    (a, b) =>
      Number(b.status === 'generic') - Number(a.status === 'generic') || a.title.localeCompare(b.title, 'en'),
  )
