import { mount } from './mount'
import { createAppRouter } from './router'

mount((client) => createAppRouter(client))
