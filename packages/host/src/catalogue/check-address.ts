const maxLength = 2048

/** Why a text is no address of a resource, or of a template of some; `undefined` for one that is. */
export function addressFault(text: string): string | undefined {
  if (text.length > maxLength) return `has an address of more than ${maxLength} characters`
  if (!/^[a-z][a-z0-9+.-]*:/i.test(text)) return 'has an address without a scheme'
  return /[\p{Cc}\p{Cf}\s]/u.test(text) || !text.isWellFormed() ? 'has an address with hidden characters' : undefined
}

/** Whether the braces of a template stand in pairs and hold names. */
export function isTemplate(text: string): boolean {
  return !/[{}]/.test(text.replace(/\{[+#./;?&]?[\w%.,:*]{1,200}\}/g, ''))
}
