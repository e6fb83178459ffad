/** What a file of JSON holds is said where it is imported: every import had a cast, and to infer the types of three megabytes
 * of documents took tsc as long as all the rest. */
declare module '*.json' {
  const content: unknown
  export default content
}
