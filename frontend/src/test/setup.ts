import '@testing-library/jest-dom/vitest'
import { cleanup, configure } from '@testing-library/react'
import * as React from 'react'
import { afterEach } from 'vitest'

// A shared machine may be slow; waiting ends as soon as what is waited for is there.
configure({ asyncUtilTimeout: 30_000 })
afterEach(cleanup)

// React's development build notes for each element where it was made, by an error's stack, until there are 10,000 within a
// second: a tenth of the tests' time. Its warnings come all the same. No setting turns that off, and a version that counts
// elsewhere fails here: react/cjs/react-jsx-dev-runtime.development.js.
const internals = (React as unknown as Record<string, { recentlyCreatedOwnerStacks: number }>)
  .__CLIENT_INTERNALS_DO_NOT_USE_OR_WARN_USERS_THEY_CANNOT_UPGRADE
if (internals?.recentlyCreatedOwnerStacks === undefined) throw new Error('React counts elsewhere')
Object.defineProperty(internals, 'recentlyCreatedOwnerStacks', { get: () => 10_000, set: () => {} })

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
