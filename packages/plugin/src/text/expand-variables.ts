import { RollcallError } from '../errors/rollcall-error.ts'

const placeholder = /\$\$\{|\$\{([^}]*)(\}?)/g
const reference = /^([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s

/**
 * Puts the values of variables into a text: `${NAME}`, or `${NAME:-default}` for one that is unset or empty.
 * Only `${` is special and `$${` gives a literal `${`; a value is never expanded again.
 *
 * @param lookup gives the value of a variable, `undefined` for one that is unset or may not be read.
 * @throws {RollcallError} `VARIABLE_MISSING` for a variable without value and default, or a `${` that names none.
 * @example
 * expandVariables('${HOME}/notes', (name) => process.env[name])
 */
export function expandVariables(text: string, lookup: (name: string) => string | undefined): string {
  return text.replace(placeholder, (_match: string, inside: string | undefined, end: string | undefined) => {
    if (inside === undefined) return '${'
    const [, name, fallback] = (end === '}' && reference.exec(inside)) || []
    if (name === undefined) throw malformed()
    const value = lookup(name)
    if (fallback !== undefined) return value || fallback
    if (value === undefined) throw missing(name)
    return value
  })
}

function missing(name: string): RollcallError {
  return new RollcallError('VARIABLE_MISSING', `The variable ${name} has no value here.`, {
    hint: `Set ${name} in the environment, or write \${${name}:-default}; only names in "secrets.allow" are open to announcements.`,
    data: { name },
  })
}

// The text itself is not shown: what surrounds a placeholder may be a secret.
function malformed(): RollcallError {
  return new RollcallError('VARIABLE_MISSING', 'A "${" is not followed by the name of a variable and "}".', {
    hint: 'Write ${NAME} or ${NAME:-default}; for a literal "${" write "$${".',
  })
}
