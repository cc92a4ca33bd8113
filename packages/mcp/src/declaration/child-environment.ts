const inherited = [
  'PATH',
  'HOME',
  'LANG',
  'LANGUAGE',
  'TMPDIR',
  'TMP',
  'TEMP',
  'USER',
  'LOGNAME',
  'SHELL',
  'TZ',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
]
const inheritedOnWindows = [
  'SYSTEMROOT',
  'SYSTEMDRIVE',
  'WINDIR',
  'COMSPEC',
  'PATHEXT',
  'APPDATA',
  'LOCALAPPDATA',
  'PROGRAMDATA',
  'PROGRAMFILES',
  'USERPROFILE',
  'USERNAME',
  'HOMEDRIVE',
  'HOMEPATH',
]
// PATH among them: by it another program could run under the name of an allowed one.
const loading =
  /^(PATH|NODE_OPTIONS|NODE_PATH|NPM_CONFIG_.*|LD_.*|DYLD_.*|PYTHON(PATH|HOME|STARTUP)|PERL5(LIB|OPT)|RUBY(LIB|OPT)|JAVA_TOOL_OPTIONS|BASH_ENV|ENV|GIT_.*)$/i

/** Tells whether every server inherits this variable, so that its value is no secret. */
export function isInherited(name: string): boolean {
  return inherited.includes(name) || inheritedOnWindows.includes(name)
}

/** The few variables that a server inherits; everything else must be declared. */
export function inheritedEnvironment(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const names = new Set(process.platform === 'win32' ? [...inherited, ...inheritedOnWindows] : inherited)
  const kept = Object.entries(env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && (names.has(entry[0].toUpperCase()) || entry[0].startsWith('LC_')),
  )
  return Object.fromEntries(kept)
}

/** Tells whether a variable can make a program load other code; only the operator's own file may set those. */
export function isLoadingVariable(name: string): boolean {
  return loading.test(name)
}
