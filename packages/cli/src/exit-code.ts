import type { RollcallErrorCode } from '@rollcall/plugin'

/** How a command ends, for scripts. */
export const exitCode = {
  fine: 0,
  /** A tool failed or was denied, a server drifted, nothing of that name exists. */
  negative: 1,
  /** The command line or the configuration is wrong; nothing was started. */
  usage: 2,
  /** Changes are due, or an answer is missing. */
  due: 3,
  needsApproval: 4,
  interrupted: 130,
} as const

export type ExitCode = (typeof exitCode)[keyof typeof exitCode]

/** The exit code of an error that ends a command. */
export function exitCodeOf(code: RollcallErrorCode): ExitCode {
  return byCode[code] ?? exitCode.usage
}

const byCode: Partial<Record<RollcallErrorCode, ExitCode>> = {
  TOOL_NOT_FOUND: exitCode.negative,
  TOOL_GONE: exitCode.negative,
  TOOL_HELD: exitCode.negative,
  TOOL_DENIED: exitCode.negative,
  TOOL_FAILED: exitCode.negative,
  PROVIDER_UNKNOWN: exitCode.negative,
  SERVER_UNAVAILABLE: exitCode.negative,
  SERVER_TIMEOUT: exitCode.negative,
  SERVER_PROTOCOL: exitCode.negative,
  APPROVAL_NOT_FOUND: exitCode.negative,
  APPROVAL_DECIDED: exitCode.negative,
  APPROVAL_EXPIRED: exitCode.negative,
  APPROVAL_DENIED: exitCode.negative,
  APPROVAL_STALE: exitCode.negative,
  APPROVAL_SELF: exitCode.negative,
  APPROVAL_ROUTED: exitCode.negative,
  APPROVAL_PENDING: exitCode.needsApproval,
  INPUT_INVALID: exitCode.due,
  LEGACY_ALIAS: exitCode.negative,
  LAUNCH_CHANGED: exitCode.due,
}
