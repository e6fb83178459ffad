import { EXPORTED_CASE } from './api/embedded'
import { mount } from './mount'
import { createAppRouter } from './router'

// A file carries its letters: no line is set before they are there, and none moves when they come.
if (EXPORTED_CASE !== null) await document.fonts.load('400 1rem "Inter Variable"')
mount((client) => createAppRouter(client))
