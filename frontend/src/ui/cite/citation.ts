/** Where a section of a document on the web begins. Documentation sites name an anchor by its heading, as Python-Markdown
 * does (https://python-markdown.github.io/extensions/toc/); where there is none of that name, the page opens at its top. */
export function sectionAddress(url: string, section: string): string {
  const anchor = section
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .trim()
    .replace(/[-\s]+/g, '-')
  return url.includes('#') || anchor === '' ? url : `${url}#${anchor}`
}

/** The place of a source on the page of a rule that cites it. */
export const sourceAnchor = (document: string): string => `source-${document}`
