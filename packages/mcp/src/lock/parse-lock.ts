import type { Capability } from '@rollcall/host'
import { type Digest, type Json, type JsonObject, RollcallError } from '@rollcall/plugin'
import { isJsonObject } from '../is-json-object.ts'
import { capabilityNames } from '../pool/capability-class.ts'
import { type Lock, type LockEntry, type LockedTool, noVerdict } from './lock-entry.ts'

/**
 * Reads the text of a lock file strictly: what is not understood is not guessed.
 *
 * @throws {RollcallError} `LOCK_INVALID`, naming the place.
 */
export function parseLock(text: string, path: string): Lock {
  let value: Json
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw invalid(path, 'it is no JSON', cause)
  }
  if (!isJsonObject(value)) throw invalid(path, 'it is no JSON object')
  if (value.version !== 1) throw invalid(path, `its version is ${JSON.stringify(value.version)} and not 1`)
  const { servers } = value
  if (!isJsonObject(servers)) throw invalid(path, '"servers" is no object')
  return new Map(
    Object.entries(servers).map(([appId, entry]) => {
      const parsed = parseEntry(entry)
      if (typeof parsed === 'string') throw invalid(path, `"servers.${appId}${parsed}`)
      return [appId, parsed]
    }),
  )
}

/** @returns the place and fault, where there is one. What an older file lacks is at its default. */
function parseEntry(entry: Json): LockEntry | string {
  if (!isJsonObject(entry)) return '" is no object'
  const { launch, serverInfo, protocolVersion, capabilityClasses, instructions, tools } = entry
  const { protocol = noVerdict, capabilities = {}, prompts = [], templates = [], resources = [] } = entry
  if (!isDigest(launch)) return '.launch" is no digest'
  if (!isJsonObject(serverInfo)) return '.serverInfo" is no object'
  const { name, version } = serverInfo
  if (typeof name !== 'string' || typeof version !== 'string') return '.serverInfo" lacks name or version'
  if (typeof protocolVersion !== 'string') return '.protocolVersion" is no text'
  if (!isVerdict(protocol)) return '.protocol" is no verdict with its day'
  if (!isJsonObject(capabilities)) return '.capabilities" is no object'
  if (!isTexts(capabilityClasses)) return '.capabilityClasses" is no list of texts'
  if (instructions !== undefined && typeof instructions !== 'string') return '.instructions" is no text'
  if (!isKeyed(prompts, 'name')) return '.prompts" is no list of prompts, each with a name of its own'
  if (!isKeyed(templates, 'uriTemplate')) return '.templates" is no list of templates, each with one of its own'
  if (!isKeyed(resources, 'uri')) return '.resources" is no list of resources, each with an address of its own'
  if (!Array.isArray(tools)) return '.tools" is no list'
  const parsed = (tools as readonly Json[]).map(parseTool)
  const broken = parsed.indexOf(undefined)
  if (broken !== -1) return `.tools[${broken}]" is no pinned tool`
  const whole = parsed.filter((tool) => tool !== undefined)
  if (new Set(whole.map((tool) => tool.name)).size !== whole.length) return '.tools" has a name twice'
  return {
    launch,
    serverInfo: { name, version },
    protocolVersion,
    protocol: { era: protocol.era, on: protocol.on },
    capabilities,
    capabilityClasses,
    ...(instructions !== undefined && { instructions }),
    prompts,
    templates,
    resources,
    tools: whole,
  }
}

function parseTool(tool: Json): LockedTool | undefined {
  if (!isJsonObject(tool)) return undefined
  const { name, definition, digest, needs } = tool
  if (typeof name !== 'string' || name === '' || !isJsonObject(definition) || definition.name !== name) return undefined
  return isDigest(digest) && isNeeds(needs) ? { name, definition, digest, needs } : undefined
}

function isDigest(value: Json | undefined): value is Digest {
  return typeof value === 'string' && /^sha256:[0-9a-f]{64}$/.test(value)
}

function isTexts(value: Json | undefined): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}

function isNeeds(value: Json | undefined): value is readonly Capability[] {
  return isTexts(value) && value.every((each) => (capabilityNames as readonly string[]).includes(each))
}

function isVerdict(value: Json): value is LockEntry['protocol'] & JsonObject {
  if (value === noVerdict) return true
  if (!isJsonObject(value) || (value.era !== 'session' && value.era !== 'stateless')) return false
  return typeof value.on === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value.on)
}

function isKeyed(value: Json, key: string): value is readonly JsonObject[] {
  if (!Array.isArray(value)) return false
  const keys = (value as readonly Json[]).map((each) => (isJsonObject(each) ? each[key] : undefined))
  return keys.every((each) => typeof each === 'string' && each !== '') && new Set(keys).size === keys.length
}

function invalid(path: string, why: string, cause?: unknown): RollcallError {
  return new RollcallError('LOCK_INVALID', `The lock file ${path} can not be used: ${why}.`, {
    hint: 'Restore it from version control, or remove it and run "rollcall sync".',
    cause,
  })
}
