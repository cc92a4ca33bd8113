import type { Host, PromptView, ResourceView, TemplateView, ToolView } from '@rollcall/host'
import type { JsonObject } from '@rollcall/plugin'
import { isJsonObject } from '../is-json-object.ts'

/**
 * How clients call things, and what the host calls the same. Towards a client of one bare provider things have the names
 * and addresses that their server gave them, and nothing else exists.
 */
export interface ServedNames {
  serves(appId: string): boolean
  shownTool(view: ToolView): string
  shownPrompt(view: PromptView): string
  shownUri(view: ResourceView | TemplateView): string
  hostTool(name: string): string
  hostPrompt(name: string, known: readonly PromptView[]): string
  hostUri(uri: string): string
  /** The result of a read, or an update, with the addresses that the client knows. */
  shownAddresses(told: JsonObject): JsonObject
}

/** @param bare the one provider that is served; absent: all of them under their public names */
export function servedNames(host: Host, bare: string | undefined): ServedNames {
  return bare === undefined ? publicNames : bareNames(host, bare)
}

const publicNames: ServedNames = {
  serves: () => true,
  shownTool: (view) => view.name,
  shownPrompt: (view) => view.name,
  shownUri: (view) => ('uri' in view ? view.uri : view.uriTemplate),
  hostTool: (name) => name,
  hostPrompt: (name) => name,
  hostUri: (uri) => uri,
  shownAddresses: (told) => told,
}

function bareNames(host: Host, appId: string): ServedNames {
  const is = (name: string) => (view: ToolView | PromptView) => view.appId === appId && view.original === name
  const prefix = `${appId}+`
  const plain = (told: JsonObject): JsonObject => {
    const { uri } = told
    return typeof uri === 'string' && uri.startsWith(prefix) ? { ...told, uri: uri.slice(prefix.length) } : told
  }
  // A name that is not there still gets the prefix: the gate refuses it, and no other provider can be reached by it.
  const absent = (name: string) => `${appId}__${name}`
  return {
    serves: (id) => id === appId,
    shownTool: (view) => view.original,
    shownPrompt: (view) => view.original,
    shownUri: (view) => view.original,
    hostTool: (name) => host.tools.all().find(is(name))?.name ?? absent(name),
    hostPrompt: (name, known) => known.find(is(name))?.name ?? absent(name),
    hostUri: (uri) => prefix + uri,
    shownAddresses(told) {
      const { contents } = told
      if (!Array.isArray(contents)) return plain(told)
      return { ...told, contents: contents.map((part) => (isJsonObject(part) ? plain(part) : part)) }
    },
  }
}
