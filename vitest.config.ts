import { configDefaults, defineConfig } from "vitest/config";

// PostgreSQL inside the process takes seconds to start where all cores are busy.
const patient = { testTimeout: 60_000, hookTimeout: 60_000 };
const large = ["{packages/*/src,test}/**/*.ci.test.ts"];
const exclude = [...configDefaults.exclude, ...large];

/** What `npm test` runs. `*.scale.test.ts` run here with small numbers. */
const everyday = [
	{
		extends: true as const,
		test: { name: "unit", include: ["packages/*/src/**/*.test.ts"], exclude, ...patient },
	},
	{
		extends: true as const,
		test: { name: "e2e", include: ["test/**/*.test.ts"], exclude, ...patient },
	},
];

/** What `npm run test:ci` adds: what is too large for every day, and what scales, at full scale. */
const ci = [
	{
		extends: true as const,
		test: {
			name: "ci",
			include: [...large, "{packages/*/src,test}/**/*.scale.test.ts"],
			testTimeout: 300_000,
			hookTimeout: 60_000,
		},
	},
];

export default defineConfig({
	test: {
		// Most whole-system tests wait for another process: two files at a time keep both cores of a small machine busy.
		maxWorkers: 2,
		projects: process.env["PARLEY_TEST_SCALE"] === "ci" ? ci : everyday,
		coverage: { provider: "v8", include: ["packages/*/src/**/*.ts"], exclude: ["**/gen/**"] },
	},
});
