import { configDefaults, defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { measurePace, paceVariable } from "./packages/base/src/testing/pace.ts";
import { ProgressReporter } from "./scripts/progress-reporter.mjs";

/** Factor for time limits on a slow or busy machine. Each process of the run reads it from its environment. */
const pace = Number(process.env[paceVariable] ?? measurePace());
process.env[paceVariable] = String(pace);
/** Time limits in milliseconds, scaled by `pace`. Starting an in-process PostgreSQL takes seconds. */
const patient = {
	testTimeout: 60_000 * pace,
	hookTimeout: 60_000 * pace,
	expect: { poll: { timeout: 10_000 * pace } },
};
const large = ["{packages/*/src,test}/**/*.ci.test.ts"];
const scaled = "{packages/*/src,test}/**/*.scale.test.ts";
/** If `test:ci` follows, it runs `*.scale.test.ts` with larger numbers, so they do not run here. */
const later = process.env["PARLEY_TEST_SCALED"] === "later" ? [scaled] : [];
const exclude = [...configDefaults.exclude, ...large, ...later];

/** Slowest test files. They start first, so that no core is idle at the end of the run. */
const longest = [
	"test/connector/chaos/discord-chaos-1.ci.test.ts",
	"test/connector/chaos/slack-chaos-1.ci.test.ts",
	"test/connector/chaos/discord-chaos-2.ci.test.ts",
	"test/connector/chaos/slack-chaos-2.ci.test.ts",
	"test/context/window.ci.test.ts",
	"test/crash/kill.ci.test.ts",
	"test/fuzz/grpc.scale.test.ts",
	"test/remote/behind-proxy.ci.test.ts",
	"packages/core/src/tools/swap-race.ci.test.ts",
	"test/fuzz/frames.scale.test.ts",
	"test/terminal/discord.ci.test.ts",
	"test/tasks/interleavings/interleavings.ci.test.ts",
	"test/connector/chaos/growth.ci.test.ts",
	"test/sandbox/swap-race.ci.test.ts",
	"test/terminal/chat.ci.test.ts",
	"test/readme/readme.ci.test.ts",
	"test/docs/start-blocks.ci.test.ts",
	"test/docs/service-blocks.ci.test.ts",
	"test/packages/command-package.ci.test.ts",
	"test/service/upgrade.ci.test.ts",
	"test/packages/library-packages.ci.test.ts",
	"test/packages/container.ci.test.ts",
	"test/terminal/commands.ci.test.ts",
	"test/zot/long-lines.ci.test.ts",
	"test/connector/scenes/reply-cards.ci.test.ts",
	"test/e2e/slack.ci.test.ts",
	"test/kontekst/examples.ci.test.ts",
	"test/connector/scenes/slack-tasks-and-access.ci.test.ts",
	"test/connector/delivery/delivery.ci.test.ts",
	"packages/core/src/tools/git/git.ci.test.ts",
	"packages/connector/src/text/fit-posts.ci.test.ts",
	"test/conformance/kontekst-llama.ci.test.ts",
	"test/zot/examples.ci.test.ts",
	"test/connector/scenes/two-rooms.ci.test.ts",
	"test/faults/adapter.scale.test.ts",
	"test/fuzz/http.scale.test.ts",
	"test/fuzz/http2-abuse.ci.test.ts",
	"test/e2e/discord.ci.test.ts",
	"test/connector/scenes/tasks.ci.test.ts",
	"test/zot/flags.ci.test.ts",
	"test/terminal/slack.ci.test.ts",
	"test/connector/scenes/approvals.test.ts",
	"packages/core/src/trust/audit/audit.test.ts",
	"test/redaction/canaries.test.ts",
	"test/conformance/metrics.test.ts",
	"packages/core/src/sandbox/bubblewrap/bubblewrap.test.ts",
	"packages/core/src/sandbox/repositories/tricks.test.ts",
	"packages/core/src/sandbox/replaced-places.test.ts",
	"test/docs/ozzie.test.ts",
	"packages/gateway/src/backup/backup.test.ts",
];

class LongestFirst extends BaseSequencer {
	override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
		const place = ({ moduleId }: TestSpecification): number => {
			const index = longest.findIndex((path) => moduleId.endsWith(path));
			return index < 0 ? longest.length : index;
		};
		return (await super.sort(files)).sort((one, other) => place(one) - place(other));
	}
}

/**
 * Tests whose directories cannot be in /dev/shm: a sandbox has its own /dev, and PostgreSQL runs as another user, which
 * cannot access the directory of the run.
 */
const onDisk = [
	"packages/core/src/sandbox/**/*.test.ts",
	"packages/cli/src/command-line/as-owner.test.ts",
	"test/{e2e,mcp,postgres,redaction,sandbox,skills,trust,connector/scenes}/**/*.test.ts",
	"test/docs/ozzie.test.ts",
	"test/conformance/ozzie-{connectors,grants,sandbox}.test.ts",
];
/** Tests of `npm run test:ci` whose directories cannot be in /dev/shm. */
const largeOnDisk = [
	"packages/core/src/sandbox/**/*.ci.test.ts",
	"test/{e2e,mcp,postgres,redaction,sandbox,skills,trust,connector/scenes}/**/*.ci.test.ts",
	"test/tasks/contention/contention.ci.test.ts",
	"test/zot/ends.ci.test.ts",
];
/** Tests of the simulators themselves. */
const simulators = "test/simulators/**/*.test.ts";
/**
 * Test that needs a separate process: discord.js has its own version of undici, which would use the global state of
 * another version.
 */
const alone = "test/simulators/discord/discord-js.test.ts";
/**
 * Directory in memory, where a commit does not wait for a disk. A crash of the machine loses its contents,
 * but no test needs them afterwards.
 */
const memory = process.env["PARLEY_TEST_MEMORY"];
const inMemory = memory === undefined ? {} : { env: { TMPDIR: memory } };
// Test files share modules, because loading them for each file takes longer than many tests. No module has state.
const shared = { ...patient, isolate: false };
const sharedForLong = { ...shared, testTimeout: 600_000 * pace };

/** Tests of `npm test`. Here `*.scale.test.ts` run with small numbers. */
const everyday = [
	{
		extends: true as const,
		test: {
			name: "unit",
			include: ["packages/*/src/**/*.test.ts"],
			exclude: [...exclude, ...onDisk],
			...shared,
			...inMemory,
		},
	},
	{
		extends: true as const,
		test: { name: "disk", include: onDisk, exclude, ...shared },
	},
	{
		extends: true as const,
		test: {
			name: "e2e",
			include: ["test/**/*.test.ts"],
			exclude: [...exclude, ...onDisk, simulators],
			...shared,
			...inMemory,
		},
	},
];

/** Tests of `npm run test:ci`: long tests, tests of the simulators, and `*.scale.test.ts` with larger numbers. */
const ci = [
	{
		extends: true as const,
		test: {
			name: "ci",
			include: [...large, scaled],
			exclude: [...configDefaults.exclude, ...largeOnDisk],
			...sharedForLong,
			...inMemory,
		},
	},
	{
		extends: true as const,
		test: { name: "ci-disk", include: largeOnDisk, ...sharedForLong },
	},
	{
		extends: true as const,
		test: { name: "simulators", include: [simulators], exclude: [...exclude, alone], ...shared },
	},
	{
		extends: true as const,
		test: { name: "alone", include: [alone], ...patient },
	},
];

const isScaled = process.env["PARLEY_TEST_SCALE"] !== undefined;
const progress = process.env["PARLEY_TEST_PROGRESS"];

export default defineConfig({
	test: {
		reporters: ["default", ...(progress === undefined ? [] : [new ProgressReporter(progress)])],
		// Most whole-system tests wait for another process, so three files at a time keep both cores of a small machine
		// busy.
		maxWorkers: 3,
		sequence: { sequencer: LongestFirst },
		projects: isScaled ? ci : everyday,
		coverage: { provider: "v8", include: ["packages/*/src/**/*.ts"], exclude: ["**/gen/**"] },
	},
});
