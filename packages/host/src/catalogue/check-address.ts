const maxLength = 2048

/** Why a text is no address of a resource, or of a template of some; `undefined` for one that is. */
export function addressFault(text: string): string | undefined {
  if (text.length > maxLength) return `has an address of more than ${maxLength} characters`
  if (!/^[a-z][a-z0-9+.-]*:/i.test(text)) return 'has an address without a scheme'
  return /[\p{Cc}\p{Cf}\s]/u.test(text) || !text.isWellFormed() ? 'has an address with hidden characters' : undefined
}

/**
 * Whether a server may read an address otherwise than it is written: steps up, doubled slashes, escapes of what could
 * stand plainly, and what is behind `#`, which no server gets to see.
 */
export function isAmbiguousPath(address: string): boolean {
  const path = address.replace(/^[a-z][a-z0-9+.-]*:(\/\/[^/?#]*)?/i, '').replace(/\?[\s\S]*$/, '')
  if (/(^|\/)\.{1,2}(\/|$)|\\|#/.test(path) || /\/\/+/.test(path.replace(/^\/\/\//, '/'))) return true
  // Letters, digits, dots and slashes need no escape: whoever escapes them hides them.
  return [...path.matchAll(/%([0-9a-f]{2})/gi)].some(([, hex = '']) =>
    /[A-Za-z0-9._~/\\-]/.test(String.fromCharCode(Number.parseInt(hex, 16))),
  )
}

/** Whether the braces of a template stand in pairs and hold names. */
export function isTemplate(text: string): boolean {
  return !/[{}]/.test(text.replace(/\{[+#./;?&]?[\w%.,:*]{1,200}\}/g, ''))
}
