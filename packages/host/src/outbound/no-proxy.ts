import { isIP } from 'node:net'

/**
 * Tells whether a host is reached without the proxy: it is this machine, or one of the operator's exceptions. An
 * exception is a host, which stands for what is below it too, an address, or `*` for everything; `:port` narrows it.
 */
export function isExempt({ hostname, port, protocol }: URL, noProxy: readonly string[]): boolean {
  const host = bare(hostname)
  if (isThisMachine(host)) return true
  const wanted = port === '' ? (protocol === 'https:' ? '443' : '80') : port
  return noProxy.some((entry) => {
    const { name, only } = read(entry)
    if (only !== undefined && only !== wanted) return false
    return name === '*' || host === name || (isIP(host) === 0 && host.endsWith(`.${name}`))
  })
}

function isThisMachine(host: string): boolean {
  return (
    host === 'localhost' ||
    host.endsWith('.localhost') ||
    host === '::1' ||
    (isIP(host) === 4 && host.startsWith('127.'))
  )
}

function read(entry: string): { readonly name: string; readonly only?: string } {
  const text = entry.trim().toLowerCase()
  const [, host = text, only] = /^(\[[^\]]*\]|[^:]*):(\d+)$/.exec(text) ?? []
  const name = bare(host).replace(/^\*?\./, '')
  return only === undefined ? { name } : { name, only }
}

function bare(host: string): string {
  return host.replace(/^\[|\]$/g, '').replace(/\.$/, '')
}
