/**
 * A file that breaks one rule, and the expected report: the category of a Biome rule, or the start of a plugin's
 * message.
 */
export interface Planted {
	readonly path: string;
	readonly source: string;
	readonly reported: string;
}

const json = "Read JSON with parseJson";
const time = "Inject time and randomness";
const children = "Start child processes only in";
const names = "Name the file or folder";
const border = "lint/style/noRestrictedImports";
const imports = (name: string) => `import * as it from "${name}";\nexport const all = it;\n`;
const repeated = (line: string, times: number) => `${line}\n`.repeat(times);

export const planted: readonly Planted[] = [
	// Rules about literals.
	{
		path: "packages/core/src/literal-field.ts",
		source: "export const one = (x?: string) => ({ ...(x === undefined ? {} : { x }), y: 1 });\n",
		reported: "Write optional fields with defined",
	},
	{
		path: "packages/cli/src/literal-and.ts",
		source: "export const one = (x?: string) => ({ y: 1, ...(x !== undefined && { x }) });\n",
		reported: "Write optional fields with defined",
	},
	{
		path: "packages/connector/src/literal-item.ts",
		source: "export const one = (x?: string) => [1, ...(x === undefined ? [] : [2])];\n",
		reported: "Write optional items with definedItems",
	},
	{
		path: "packages/core/src/literal-spread.ts",
		source: "export const one = { ...{ x: 1, y: 2 }, z: 3 };\n",
		reported: "Write the fields or items themselves",
	},

	// Rules about packages and layers.
	{ path: "packages/base/src/border.ts", source: imports("@parley/core"), reported: border },
	{ path: "packages/protocol/src/border.ts", source: imports("@parley/core"), reported: border },
	{ path: "packages/connector/src/border.ts", source: imports("@parley/core"), reported: border },
	{ path: "packages/discord/src/border.ts", source: imports("@parley/core"), reported: border },
	{ path: "packages/discord/src/sdk.ts", source: imports("@discordjs/rest"), reported: border },
	{ path: "packages/slack/src/border.ts", source: imports("@parley/core"), reported: border },
	{ path: "packages/core/src/border-gateway.ts", source: imports("@parley/gateway"), reported: border },
	{ path: "packages/core/src/border-protocol.ts", source: imports("@parley/protocol"), reported: border },
	{ path: "packages/core/src/border-ws.ts", source: imports("ws"), reported: border },
	{ path: "packages/core/src/border-grpc.ts", source: imports("@grpc/grpc-js"), reported: border },
	{ path: "packages/core/src/border-net.ts", source: imports("node:net"), reported: border },
	{ path: "packages/core/src/deep/er/border-http.ts", source: imports("node:http"), reported: border },
	{ path: "packages/core/src/border-https.ts", source: imports("node:https"), reported: border },
	{ path: "packages/core/src/border-http2.ts", source: imports("node:http2"), reported: border },
	{ path: "packages/gateway/src/border.ts", source: imports("@parley/cli"), reported: border },
	{
		path: "packages/gateway/src/transport/border-core.ts",
		source: imports("@parley/core"),
		reported: border,
	},
	{
		path: "packages/gateway/src/transport/border.ts",
		source: imports("../wires/ozzie/codec.ts"),
		reported: border,
	},
	{
		path: "packages/gateway/src/wires/ozzie/connection.ts",
		source: imports("../zot/codec.ts"),
		reported: border,
	},
	{
		path: "packages/gateway/src/wires/shared/border.ts",
		source: imports("../view/session-view.ts"),
		reported: border,
	},
	{
		path: "packages/gateway/src/wires/view/border.ts",
		source: imports("../zot/codec.ts"),
		reported: border,
	},
	{
		path: "packages/gateway/src/wires/http/codec.ts",
		source: imports("../ozzie/codec.ts"),
		reported: border,
	},
	{
		path: "packages/gateway/src/wires/zot/border.ts",
		source: imports("../mcp/codec.ts"),
		reported: border,
	},
	{
		path: "packages/gateway/src/wires/mcp/codec.ts",
		source: imports("../ozzie/codec.ts"),
		reported: border,
	},
	{
		path: "packages/gateway/src/wires/roz/codec/event.ts",
		source: imports("../../kontekst/codec.ts"),
		reported: border,
	},
	{ path: "packages/gateway/src/wires/zot/codec.ts", source: imports("node:stream"), reported: border },
	{ path: "packages/gateway/src/wires/ozzie/schema.ts", source: imports("ws"), reported: border },
	{
		path: "packages/gateway/src/wires/kontekst/codec.ts",
		source: imports("../roz/schema.ts"),
		reported: border,
	},
	{
		path: "packages/gateway/src/wires/ozzie/codec.ts",
		source: imports("../../transport/listener.ts"),
		reported: border,
	},
	{
		path: "packages/gateway/src/compose.ts",
		source: imports("./wires/ozzie/server.ts"),
		reported: "Only gateway.ts creates servers",
	},
	{
		path: "packages/gateway/src/relative.ts",
		source: imports("../../core/src/index.ts"),
		reported: "Import other packages by name",
	},
	{
		path: "packages/gateway/src/relative-lazy.ts",
		source: 'export const all = await import("../../core/src/index.ts");\n',
		reported: "Import other packages by name",
	},
	{
		path: "packages/base/src/undeclared.ts",
		source: imports("left-pad"),
		reported: "lint/correctness/noUndeclaredDependencies",
	},
	{
		path: "packages/cli/src/test-only.ts",
		source: imports("@parley/core/testing"),
		reported: "Product code must not import test code",
	},
	{
		path: "packages/core/src/conversation/test-only.ts",
		source: imports("../testing/index.ts"),
		reported: "Product code must not import test code",
	},

	// Rules about code that only one module may contain.
	{ path: "packages/gateway/src/parse.ts", source: 'export const a = JSON.parse("1");\n', reported: json },
	{ path: "packages/core/src/parse.ts", source: "export const a = JSON?.parse;\n", reported: json },
	{
		path: "packages/core/src/parse-computed.ts",
		source: 'export const a = JSON["parse"];\n',
		reported: json,
	},
	{ path: "packages/core/src/parse-alias.ts", source: "export const { parse } = JSON;\n", reported: json },
	{
		path: "packages/cli/src/parse-global.ts",
		source: "export const a = globalThis.JSON.parse;\n",
		reported: json,
	},
	{ path: "packages/core/src/parse.test.ts", source: 'export const a = JSON.parse("1");\n', reported: json },
	{ path: "packages/core/src/now.ts", source: "export const a = Date.now();\n", reported: time },
	{ path: "packages/core/src/new-date.ts", source: "export const a = new Date();\n", reported: time },
	{ path: "packages/core/src/date.ts", source: "export const a = Date();\n", reported: time },
	{
		path: "packages/gateway/src/performance.ts",
		source: "export const a = performance.now();\n",
		reported: time,
	},
	{ path: "packages/gateway/src/timer.ts", source: "setTimeout(() => {}, 1);\n", reported: time },
	{ path: "packages/gateway/src/timer.test.ts", source: "setInterval(() => {}, 1);\n", reported: time },
	{ path: "packages/cli/src/random.ts", source: "export const a = Math.random();\n", reported: time },
	{
		path: "packages/cli/src/global-timer.ts",
		source: "globalThis.setTimeout(() => {}, 1);\n",
		reported: time,
	},
	{ path: "packages/cli/src/optional.ts", source: "export const a = performance?.now();\n", reported: time },
	{ path: "packages/core/src/agent/child.ts", source: imports("node:child_process"), reported: children },
	{ path: "packages/gateway/src/child.ts", source: imports("child_process"), reported: children },
	{ path: "packages/cli/src/child.ts", source: 'await import("node:child_process");\n', reported: children },
	{
		path: "packages/core/src/store/sqlite.ts",
		source: imports("node:sqlite"),
		reported: "Use the Store port",
	},

	// Rules about names.
	{ path: "packages/core/src/utils.ts", source: "export const a = 1;\n", reported: names },
	{ path: "packages/core/src/helpers/text.ts", source: "export const a = 1;\n", reported: names },
	{ path: "test/e2e/common.ts", source: "export const a = 1;\n", reported: names },
	{ path: "scripts/manager.mjs", source: "export const a = 1;\n", reported: names },
	{
		path: "packages/core/src/camelCase.ts",
		source: "export const a = 1;\n",
		reported: "lint/style/useFilenamingConvention",
	},

	// Rules about sizes.
	{
		path: "packages/core/src/long-file.ts",
		source: repeated("export {};", 401),
		reported: "lint/style/noExcessiveLinesPerFile",
	},
	{
		path: "packages/core/src/long-function.ts",
		source: `export function long(list: number[]) {\n${repeated("list.push(1);", 61)}}\n`,
		reported: "lint/complexity/noExcessiveLinesPerFunction",
	},
	{
		path: "packages/core/src/complex.ts",
		source: `export function complex(n: number): number {\n${repeated("if (n > 1) { if (n > 2) { return n; } }", 6)}return 0;\n}\n`,
		reported: "lint/complexity/noExcessiveCognitiveComplexity",
	},
	{
		path: "packages/core/src/parameters.ts",
		source: "export const f = (a: 1, b: 1, c: 1, d: 1, e: 1) => [a, b, c, d, e];\n",
		reported: "lint/complexity/useMaxParams",
	},

	// Rules about language.
	{
		path: "packages/core/src/default.ts",
		source: "export default 1;\n",
		reported: "lint/style/noDefaultExport",
	},
	{ path: "packages/core/src/enum.ts", source: "export enum A { B }\n", reported: "lint/style/noEnum" },
	{
		path: "packages/core/src/non-null.ts",
		source: "export const f = (a?: string) => a!.length;\n",
		reported: "lint/style/noNonNullAssertion",
	},
	{
		path: "packages/core/src/parameter-property.ts",
		source: "export class A { constructor(readonly a: string) {} }\n",
		reported: "lint/style/noParameterProperties",
	},
	{
		path: "packages/core/src/type-shape.ts",
		source: "export type A = { readonly a: string };\n",
		reported: "lint/style/useConsistentTypeDefinitions",
	},
	{
		path: "packages/core/src/cause.ts",
		source: 'export function f() { try { f(); } catch (error) { throw new Error("lost", {}); } }\n',
		reported: "lint/style/useErrorCause",
	},
	{
		path: "packages/core/src/mutable-member.ts",
		source: "export class A { #a = 1; get() { return this.#a; } }\n",
		reported: "lint/style/useReadonlyClassProperties",
	},
	{
		path: "packages/core/src/throw-text.ts",
		source: 'export function f() { throw "no"; }\n',
		reported: "lint/style/useThrowOnlyError",
	},
	{
		path: "packages/core/src/bare-node.ts",
		source: imports("fs"),
		reported: "lint/style/useNodejsImportProtocol",
	},
	{
		path: "packages/core/src/extension.ts",
		source: imports("./extension-target"),
		reported: "lint/correctness/useImportExtensions",
	},
	{
		path: "packages/core/src/extension-target.ts",
		source: 'export * from "./a.ts";\n',
		reported: "lint/performance/noReExportAll",
	},
	{
		path: "packages/core/src/print.ts",
		source: 'console.log("a");\n',
		reported: "lint/suspicious/noConsole",
	},
	{
		path: "packages/core/src/loose.ts",
		source: "export const a = (b: any) => b;\n",
		reported: "lint/suspicious/noExplicitAny",
	},
	{
		path: "packages/core/src/silent-error.ts",
		source: "export function f() { throw new Error(); }\n",
		reported: "lint/suspicious/useErrorMessage",
	},
	{
		path: "packages/core/src/cycle.ts",
		source: 'import { b } from "./cycle-back.ts";\nexport const a = () => b;\n',
		reported: "lint/suspicious/noImportCycles",
	},
	{
		path: "packages/core/src/cycle-back.ts",
		source: 'import { a } from "./cycle.ts";\nexport const b = () => a;\n',
		reported: "lint/suspicious/noImportCycles",
	},
	{
		path: "packages/core/src/floating.ts",
		source: "const f = async () => 1;\nf();\n",
		reported: "lint/nursery/noFloatingPromises",
	},
	{
		path: "packages/core/src/misused.ts",
		source: "const f = async () => true;\nexport const a = () => { if (f()) return 1; return 2; };\n",
		reported: "lint/nursery/noMisusedPromises",
	},
	{
		path: "packages/core/src/exhaustive.ts",
		source: 'export function f(a: "b" | "c"): number { switch (a) { case "b": return 1; } return 2; }\n',
		reported: "lint/nursery/useExhaustiveSwitchCases",
	},
	{
		path: "packages/core/src/await-value.ts",
		source: "export async function f() { return await 1; }\n",
		reported: "lint/nursery/useAwaitThenable",
	},
];

/** Files that lint must accept: code that only these files may contain, and code with a reasoned `biome-ignore`. */
export const allowed: readonly Omit<Planted, "reported">[] = [
	{
		path: "packages/core/src/literal-with-reason.ts",
		source:
			"// biome-ignore lint/plugin: an example of a reason\nexport const one = (x?: string) => ({ ...(x && { x }), y: 1 });\n",
	},
	{ path: "packages/base/src/json.ts", source: 'export const a: unknown = JSON.parse("1");\n' },
	{ path: "packages/base/src/clock.ts", source: "export const a = () => [Date.now(), performance.now()];\n" },
	{ path: "packages/base/src/store/sqlite-store.ts", source: imports("node:sqlite") },
	{ path: "packages/core/src/text.ts", source: "export const a = [JSON.stringify(1), new Date(0)];\n" },
	{ path: "packages/core/src/sandbox/spawn.ts", source: imports("node:child_process") },
	{ path: "packages/core/src/store.test.ts", source: imports("@parley/base/testing") },
	{ path: "packages/core/src/base.ts", source: imports("@parley/base") },
	{ path: "packages/protocol/src/client.ts", source: imports("ws") },
	{ path: "packages/gateway/src/gateway.ts", source: imports("./wires/ozzie/server.ts") },
	{ path: "packages/gateway/src/wires/ozzie/server.ts", source: imports("../../transport/websocket.ts") },
	{ path: "packages/gateway/src/transport/websocket.ts", source: imports("node:net") },
	{ path: "packages/gateway/src/wires/zot/schema.ts", source: imports("zod") },
	{ path: "packages/gateway/src/wires/view/view.ts", source: imports("../shared/time.ts") },
	{ path: "packages/gateway/src/wires/http/methods/api.ts", source: imports("../../view/session-view.ts") },
	{ path: "test/e2e/boot.ts", source: imports("node:child_process") },
	{ path: "test/bench/boot.ts", source: "console.log(performance.now());\n" },
	{ path: "scripts/say.mjs", source: 'console.log("a");\n' },
];
