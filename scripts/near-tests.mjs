/**
 * Whole-system tests for changed files. `npm run test:near` runs them in addition to the tests that import a changed
 * file. AGENTS.md shows the same rows. The first column has folders or files, and the second column has paths of tests.
 * @type {readonly (readonly [changed: readonly string[], tests: readonly string[]])[]}
 */
export const nearTests = [
	[
		["packages/protocol/", "packages/gateway/src/wires/ozzie/"],
		["test/conformance/ozzie", "test/docs", "test/fuzz/frame-kinds"],
	],
	[
		["packages/gateway/src/wires/zot/", "packages/gateway/src/rpc/"],
		["test/conformance/conversation", "test/docs/zot", "test/zot"],
	],
	[
		["packages/gateway/src/wires/kontekst/", "packages/gateway/src/wires/roz/", "proto/"],
		["test/conformance/kontekst", "test/conformance/roz", "test/proto"],
	],
	[
		["packages/gateway/src/wires/http/", "packages/gateway/src/metrics/"],
		["test/conformance/http", "test/conformance/metrics"],
	],
	[["packages/gateway/src/wires/mcp/"], ["test/mcp-server"]],
	[
		["packages/gateway/src/auth/", "packages/core/src/trust/", "packages/core/src/policy/"],
		["test/trust", "test/conformance/matrix"],
	],
	[["packages/core/src/sandbox/"], ["test/sandbox"]],
	[["packages/core/src/tools/", "packages/core/src/models/offline/"], ["test/context"]],
	[
		["packages/core/src/vocabulary/", "packages/core/src/use-cases/", "packages/core/src/agent/"],
		["test/conformance/conversation", "test/crash"],
	],
	[
		["packages/connector/", "packages/discord/", "packages/slack/"],
		["test/connector", "test/discord", "test/slack"],
	],
	[["packages/cli/"], ["test/docs/commands", "test/service", "test/terminal"]],
	[["packages/"], ["test/lint", "test/docs/public-surface"]],
	[["docs/", "CHANGELOG.md"], ["test/docs"]],
	[["scripts/"], ["test/scripts", "test/packages"]],
];

/**
 * Returns the tests of all rows that contain a changed file.
 * @param {readonly string[]} files
 */
export function testsNear(files) {
	const rows = nearTests.filter(([changed]) =>
		files.some((file) => changed.some((path) => file.startsWith(path))),
	);
	return [...new Set(rows.flatMap(([, tests]) => tests))];
}

/** Returns the rows of the table in AGENTS.md. */
export function nearTable() {
	/** @param {readonly string[]} paths */
	const cell = (paths) => paths.map((path) => `\`${path}\``).join(", ");
	return nearTests.map(([changed, tests]) => `| ${cell(changed)} | ${cell(tests)} |`);
}
