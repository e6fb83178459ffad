import DOMPurify from 'dompurify'
import { marked } from 'marked'
import { unbroken } from '../../format'
import { partsOf } from '../../ui/lines/wholeWords'

/** What a stranger wrote must not load, run or style anything, nor look like a part of the page's own forms. */
const KEPT = {
  USE_PROFILES: { html: true, svg: true },
  FORBID_TAGS: ['style', 'form', 'input', 'button', 'textarea', 'select', 'img', 'video', 'audio', 'image'],
  FORBID_ATTR: ['style', 'class', 'id', 'name'],
}

/** Elements that are safe to stand in the page; links open beside it. */
export function fromHtml(html: string): DocumentFragment {
  const fragment = DOMPurify.sanitize(html, { ...KEPT, RETURN_DOM_FRAGMENT: true })
  for (const link of fragment.querySelectorAll('a')) {
    link.target = '_blank'
    link.rel = 'noopener noreferrer'
  }
  for (const code of fragment.querySelectorAll('pre > code')) keepWordsWhole(code)
  keepFiguresWhole(fragment)
  return fragment
}

/** Of lines to paste: each word that would be broken within gets an element of its own. */
function keepWordsWhole(code: Element) {
  const parts = partsOf(code.textContent).map(({ text, breaks }) => {
    if (!breaks) return document.createTextNode(text)
    const word = document.createElement('span')
    word.textContent = text
    return word
  })
  code.replaceChildren(...parts)
}

/** In sentences, as the page's own; what is pasted stays as it is. */
function keepFiguresWhole(fragment: DocumentFragment) {
  const texts = document.createTreeWalker(fragment, NodeFilter.SHOW_TEXT)
  while (texts.nextNode()) {
    const { currentNode: text } = texts
    if (text.parentElement?.closest('code, pre, svg')) continue
    text.nodeValue = unbroken(text.nodeValue ?? '')
  }
}

/** The same of Markdown as GitLab and GitHub read it. */
export const fromMarkdown = (text: string): DocumentFragment =>
  fromHtml(marked.parse(text, { async: false, gfm: true, breaks: true }))
