// Where the page's script does not come, or a browser is too old to read it, nothing else would say so. For any browser: no
// modules, and in a file of its own, as no script may stand in the page. What the page draws covers the note.
function sayUnstarted() {
  const note = document.getElementById('unstarted')
  if (note) note.hidden = false
}
addEventListener('error', sayUnstarted, true)
if (!('noModule' in document.createElement('script'))) addEventListener('load', sayUnstarted)
