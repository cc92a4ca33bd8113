import type { SecretShape } from './secret-shapes.ts'

const name = 'password-assignment'

// Only the end of a name is matched: what stands before it is kept anyway, and a search for it would not be linear.
const strongName = String.raw`pass(?:word|wd|phrase|code)|pwd(?!=\/)|secret|credentials?|(?:api|access|secret|private|auth|signing|encryption|account|master|license)[_\-]?key`
// Tokens that only turn pages are no secrets.
const token = String.raw`(?<!(?:next|page|continuation|sync|cursor|start|end)[_\-]?)token`
const weakName = String.raw`${token}|authorization|jwt|cookie|session[_\-]?(?:id|key)|connection[_\-]?string`
const strong = String.raw`(?:${strongName})\d{0,3}`
const any = String.raw`(?:${strongName}|${weakName})\d{0,3}`

const assigns = String.raw`\\{0,3}["']?[ \t]*(?::=?|=>?)[ \t]*`
// A mark of an earlier redaction, or a reference to a variable: nothing to hide.
const nothing = String.raw`\[redacted:[a-z0-9\-]+\]|\$\{[^{}\n]{0,128}\}|\$[A-Z_][A-Z0-9_]*|%[A-Z_][A-Z0-9_]*%`
// A word of a type, a scheme or a piece of code where a bare value would stand.
const word = String.raw`(?:true|false|null|nil|none|undefined|string|number|boolean|bool|str|int|integer|bytes|float|object|array|any|unknown|never|void|optional|required|bearer|basic|digest|negotiate)(?![\w\-])`
const code = String.raw`(?:process\.env|os\.|self\.|this\.|import\.meta|[\w.$]{1,80}\()`
const valueEnd = '[\\s"\'`\\\\,;&<>]|$'
// A comma may be part of the value, unless the next item of a list follows it.
// Loops over several parts are bounded: the engine's stack is.
const bareOther = String.raw`(?:\\u[0-9a-fA-F]{4}|,(?![\s"'\\]|$|[\w.\-]{1,64}[=:]))`
const bareRun = String.raw`[^\s"'${'`'}\\,;&<>]*`
const bare = `${bareRun}(?:${bareOther}${bareRun}){0,65536}`
const atLeast = (length: number) => String.raw`(?=[^\s"'${'`'}\\,;&<>]{${length}})`
// A bare value after a colon or spaces may be prose, unless it looks made up or ends its line.
const tellingValue = String.raw`(?:(?=[^\s"'\\]{0,80}[\d!@#$%^*+\/~?=\-])${atLeast(6)}${bare}|${atLeast(4)}${bare}(?=[ \t]*(?:[\r\n"']|\\[nr"]|$)))`

const doubleQuoted = String.raw`[^"\\\n]*(?:\\.[^"\\\n]*){0,65536}`
// A raw double quote inside single quotes is taken along only where it can't be one of a JSON text around it.
const singleQuoted = String.raw`[^'"\\\n]*(?:(?:\\.|(?<=\w)"(?=\w))[^'"\\\n]*){0,65536}`
// A string inside a JSON string: it ends at \", and its own escapes are doubled.
const escapedQuoted = String.raw`[^"\\\n]*(?:\\(?:[^"\\\n]|\\(?:\\["\\]|[^"\\\n]))[^"\\\n]*){0,65536}`

/** Secrets that are told by the name they are assigned to: in JSON, YAML, environment files, flags, queries, XML. */
export const assignmentShapes: readonly SecretShape[] = [
  quotedBy('"', doubleQuoted, strong, 1),
  quotedBy('"', doubleQuoted, any, 6),
  quotedBy("'", singleQuoted, strong, 1),
  quotedBy("'", singleQuoted, any, 6),
  quotedBy(String.raw`\\"`, escapedQuoted, strong, 1),
  quotedBy(String.raw`\\"`, escapedQuoted, any, 6),
  shape(String.raw`(${any}${assigns}\\{2,}["'])[^"'\\\n]+`),
  // NAME=value, also in a query or a connection string.
  shape(`(${strong}=)(?!(?:${nothing})(?:${valueEnd})|${word}|${code})${bare}`),
  shape(`(${any}=)(?!(?:${nothing})(?:${valueEnd})|${word}|${code})${atLeast(6)}${bare}`),
  // name: value, name = value
  shape(
    String.raw`(${any}(?:[ \t]*:|[ \t]+:?=)[ \t]+)(?!(?:${nothing})(?:${valueEnd})|${word}|${code}|[({\[]|["'${'`'}])${tellingValue}`,
  ),
  // --flag value, and both as items of a JSON array
  shape(String.raw`(${any}(?<=--[\w\-]{1,60})[ \t]+)(?!-|(?:${nothing})(?:${valueEnd}))${bare}`),
  shape(String.raw`(${any}(?<=--[\w\-]{1,60})[ \t]+")(?!")${doubleQuoted}`),
  shape(String.raw`(${any}(?<=--[\w\-]{1,60})",\s*")(?!"|-|(?:${nothing})")${doubleQuoted}`),
  shape(String.raw`(<[\w:\-]{0,40}(?:${strongName}|${weakName})\s{0,8}>)(?!(?:${nothing})<)[^<>"\\\n]+`),
  {
    name,
    quoted: true,
    pattern: new RegExp(String.raw`((?<!\\)(?:${any})"\s{0,8}:\s{0,8})-?\d[\d.eE+\-]{3,}(?=\s{0,64}[,}])`, 'gi'),
  },
]

/** `(?!…)`: a closing quote of a JSON text around the name is not taken for an opening one. */
function quotedBy(quote: string, content: string, names: string, minLength: number): SecretShape {
  return shape(
    String.raw`(${names}${assigns}${quote})(?!\s*(?:[,\]}:]|$)|(?:${nothing})${quote})(?=[^${quote.slice(-1)}\n]{${minLength}})${content}`,
  )
}

function shape(source: string): SecretShape {
  return { name, pattern: new RegExp(source, 'gi') }
}
