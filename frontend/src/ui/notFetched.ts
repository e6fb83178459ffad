const SAID = /preload CSS|dynamically imported module|module script failed/i

/** Whether that is what a browser says where a part of the page, asked for when it is first shown, does not come. */
export const notFetched = (said: string) => SAID.test(said)
