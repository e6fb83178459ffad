import '@testing-library/jest-dom/vitest'
import { cleanup, configure } from '@testing-library/react'
import { afterEach } from 'vitest'

// A shared machine may be slow; waiting ends as soon as what is waited for is there.
configure({ asyncUtilTimeout: 30_000 })
afterEach(cleanup)

// jsdom scrolls nothing, and has no dialogs yet: the two methods set what the element shows.
HTMLDialogElement.prototype.showModal ??= function (this: HTMLDialogElement) {
  this.open = true
}
HTMLDialogElement.prototype.close ??= function (this: HTMLDialogElement) {
  this.open = false
  this.dispatchEvent(new Event('close'))
}
Element.prototype.scrollIntoView ??= () => {}
window.scrollTo = () => {}
