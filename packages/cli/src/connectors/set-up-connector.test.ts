import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createIds, Redactor, systemClock } from "@parley/base";
import { MemoryLogger } from "@parley/base/testing";
import type { Finding } from "@parley/connector";
import { loadConfig, startGateway } from "@parley/gateway";
import { expect, test } from "vitest";
import { withGateway } from "../client/with-gateway.ts";
import { discord } from "../gateway/platform.ts";
import { run } from "../run.ts";
import { CapturedIo } from "../testing/captured-io.ts";
import { setUpConnector } from "./set-up-connector.ts";

test.each([0, 80])("splits no word on a terminal that reports %i columns", async (columns) => {
	const io = new CapturedIo({ DISCORD_TOKEN: "" });
	Object.assign(io.stdout, { isTTY: true, columns });
	expect(await run(["discord", "setup"], io)).toBe(1);
	const text = io.drainOut();
	expect(text).toContain("New Application");
	expect(Math.max(...text.split("\n").map((line) => line.trim().length))).toBeGreaterThan(40);
	expect(text.split("\n").length).toBeLessThan(20);
});

const failed: Finding = { id: "answer", status: "fail", what: "no answer came" };

test.each([
	["fails", async () => [failed]],
	["breaks off", () => Promise.reject(new Error("broken off"))],
] as const)("withdraws its invitation if the last step %s", async (_, check) => {
	const root = await realpath(await mkdtemp(join(tmpdir(), "parley-setup-")));
	const data = join(root, "data");
	const gateway = await startGateway({
		config: loadConfig({
			flags: { sandbox: "off", listen: ["127.0.0.1:0"] },
			environment: {},
			cwd: root,
			defaultData: data,
		}),
		clock: systemClock,
		ids: createIds(),
		log: new MemoryLogger(),
		redactor: new Redactor(),
		version: "0.0.0",
		currentDirectory: root,
	});
	try {
		const io = new CapturedIo({ DISCORD_TOKEN: "token", PARLEY_DATA: data });
		const waiting = () =>
			withGateway({}, io, async (client) => (await client.request("list_people", {})).waiting);
		const invitations: number[] = [];
		const answer = {
			id: "answer",
			title: "Answer",
			todo: "Say hello.",
			check: async () => {
				invitations.push((await waiting()).length);
				return await check();
			},
		};
		const way = { platform: discord, steps: () => [answer], hasToken: true, withConnector: [] };
		const end = await setUpConnector(way, {}, io).catch(String);
		expect([1, "Error: broken off"]).toContain(end);
		expect(io.drainOut()).toMatch(/type \/pair [A-Z0-9]+ to become the owner/);
		expect([...invitations, (await waiting()).length]).toEqual([1, 0]);
	} finally {
		await gateway.stop(0);
		await rm(root, { recursive: true });
	}
});
