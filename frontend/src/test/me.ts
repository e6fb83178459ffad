import type { Me } from '../access/queries'

/** Somebody of the helpdesk who logged in. */
export const me = (more: Partial<Me> = {}): Me => ({
  mode: 'oidc',
  id: 'ada',
  name: 'Ada',
  role: 'helpdesk',
  guest: false,
  sign_in: 'sign-in',
  signs_out: true,
  ...more,
})
