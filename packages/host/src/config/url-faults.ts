/** What is wrong with an address of the web; `undefined`: nothing. The address is not shown: a token may be in it. */
export function httpUrlFault(value: unknown): string | undefined {
  const text = String(value)
  // Only known when it is expanded, and checked again by whoever connects.
  if (text.startsWith('${')) return undefined
  const url = URL.parse(text.replace(/\$\{[^}]*\}/g, '1'))
  if (url === null) return 'is no complete address: write https://host/path'
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    // A long one is no protocol but whatever stood before the first colon.
    return /^[a-z]{2,8}:$/.test(url.protocol)
      ? `must be http or https, received "${url.protocol}"`
      : 'must be http or https'
  }
  if (url.username !== '' || url.password !== '') {
    return 'has a user name or password in it; use "auth" or "headers" with a secret'
  }
  return undefined
}

/** What is wrong with the address of a proxy; `undefined`: nothing. */
export function proxyUrlFault(value: unknown): string | undefined {
  const text = String(value)
  const url = URL.parse(text.replace(/\$\{[^}]*\}/g, '1'))
  // Only known when it is expanded.
  if (text.startsWith('${')) return undefined
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    return 'is no address of a proxy: write http://host:port'
  }
  return undefined
}

/** What is wrong with the address of a store; `undefined`: nothing. */
export function storeUrlFault(value: unknown): string | undefined {
  const text = String(value)
  if (text === 'memory:' || /^sqlite:./s.test(text)) return undefined
  if (text.startsWith('${')) return undefined
  const forms = 'write "sqlite:<path>", "postgres://user:password@host/database" or "memory:"'
  if (/^postgres(ql)?:\/\/[^/]/i.test(text) && (text.includes('${') || URL.canParse(text))) return undefined
  return `is no store: ${forms}`
}

const startKeys = ['args', 'cwd', 'env']
const addressKeys = ['transport', 'auth', 'headers']

/** What is wrong with the server that an entry of `providers` declares; `undefined`: nothing. */
export function serverFault(entry: unknown): string | undefined {
  if (typeof entry !== 'object' || entry === null) return undefined
  const has = (key: string) => Object.hasOwn(entry, key) && Reflect.get(entry, key) !== undefined
  if (has('command') && has('url')) return 'has both "command" and "url": keep one'
  const stray = has('command') ? undefined : startKeys.find(has)
  if (stray !== undefined) return `has "${stray}", which belongs to a "command", and there is none`
  const strayAddress = has('url') ? undefined : addressKeys.find(has)
  if (strayAddress !== undefined) return `has "${strayAddress}", which belongs to a "url", and there is none`
  return undefined
}
