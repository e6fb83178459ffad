// Runs before the first paint, so that a chosen theme does not flash the system's. A file of its own: no inline scripts.
try {
  const theme = localStorage.getItem('iotriage.theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {
  // Storage may be forbidden; then the system's theme stands.
}
