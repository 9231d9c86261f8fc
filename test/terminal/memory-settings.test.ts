import { mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { choosePort, GatewayProcess } from "../gateway-process.ts";

async function runGateway(environment: Readonly<Record<string, string>> = {}) {
	const directory = await realpath(await mkdtemp(join(tmpdir(), "parley-memory-")));
	const port = await choosePort();
	const gateway = new GatewayProcess({ port, data: join(directory, "data"), root: directory, environment });
	onTestFinished(async () => {
		gateway.kill("SIGTERM");
		await gateway.exited;
		await rm(directory, { recursive: true });
	});
	expect(await gateway.ready).toBe(true);
	const read = async (name: string): Promise<string[]> =>
		(await readFile(`/proc/${gateway.pid}/${name}`, "utf8")).split("\0");
	return { args: await read("cmdline"), variables: await read("environ") };
}

test.runIf(process.platform === "linux")(
	"a gateway runs with the settings that keep its memory low",
	async () => {
		const { args, variables } = await runGateway();
		expect(args).toContain("--max-semi-space-size=4");
		expect(variables).toEqual(
			expect.arrayContaining(["MALLOC_ARENA_MAX=2", "MALLOC_TRIM_THRESHOLD_=131072"]),
		);
	},
);

test.runIf(process.platform === "linux")("settings of the operator stay unchanged", async () => {
	const { args, variables } = await runGateway({
		NODE_OPTIONS: "--max_semi_space_size=8",
		MALLOC_ARENA_MAX: "3",
	});
	expect(args.filter((arg) => arg.includes("semi-space"))).toEqual([]);
	expect(variables).toContain("MALLOC_ARENA_MAX=3");
});
