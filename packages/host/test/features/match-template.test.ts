import { describe, expect, it } from 'vitest'
import { matchTemplate } from '../../src/features/match-template.ts'

const cases: readonly (readonly [template: string, uri: string, matches: boolean])[] = [
  ['demo://resource/{id}', 'demo://resource/7', true],
  ['demo://resource/{id}', 'demo://resource/7/8', false],
  ['demo://resource/{id}', 'demo://resource/', false],
  ['demo://{a}/x/{b}', 'demo://1/x/2', true],
  ['demo://{a}/x/{b}', 'demo://1/y/2', false],
  ['file:///{+path}', 'file:///a/b/c.txt', true],
  ['file://{/path*}', 'file:///a/b', true],
  ['x://list{?page,size}', 'x://list', true],
  ['x://list{?page,size}', 'x://list?page=2&size=3', true],
  ['x://list{?page}', 'x://listing', false],
  ['x://a{#part}', 'x://a#b', true],
  ['x://{name}.json', 'x://a.b.json', true],
  ['x://plain', 'x://plain', true],
  ['x://plain', 'x://plain/', false],
]

describe('an address and a template', () => {
  it.each(cases)('%s and %s: %s', (template, uri, matches) => {
    expect(matchTemplate(template, uri)).toBe(matches)
  })

  it('of many parts and a long address take no time that grows out of hand', () => {
    const template = `x://${'{a}.'.repeat(20)}`
    const begun = performance.now()
    expect(matchTemplate(template, `x://${'b.'.repeat(500)}c`)).toBe(false)
    expect(performance.now() - begun).toBeLessThan(1_000)
  })
})
