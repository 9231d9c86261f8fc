import { ManualClock } from "@parley/base/testing";
import { TestRuntime } from "@parley/core/testing";
import { describe, expect, test } from "vitest";
import { type AttackRow, attacks } from "./attacks.ts";
import { HostileServer } from "./hostile-server.ts";
import { lookTool } from "./look-tool.ts";
import { memoryDirectory } from "./memory-directory.ts";
import { settle } from "./passing-time.ts";
import { familyAt, type TestedFamily, testedFamilies, testedTable } from "./provider-port.ts";
import { RunLog } from "./run-log.ts";
import { withSeeds } from "./seeds.ts";

/** Maximum bytes that the client may read, including the buffers of both sockets. */
const maxReadBytes = (64 + 16) << 20;

async function open({ wire, ...tested }: TestedFamily, random: Parameters<typeof HostileServer.start>[1]) {
	const clock = new ManualClock();
	const server = await HostileServer.start(wire, random);
	const { tool } = lookTool();
	const model = familyAt({ wire, ...tested }, server.url, { apiKey: "sk-0123456789abcdef", clock });
	const options = { directory: await memoryDirectory(), clock, tools: [tool], random: () => 0, model };
	const runtime = await TestRuntime.open({ ...options, table: testedTable });
	const session = await runtime.create();
	return {
		...{ server, runtime, session, clock },
		log: await RunLog.join(runtime, session),
		async [Symbol.asyncDispose]() {
			await runtime[Symbol.asyncDispose]();
			await server[Symbol.asyncDispose]();
		},
	};
}

type Place = Awaited<ReturnType<typeof open>>;

/** Waits for the end of the run, and returns the number of attempts. */
async function untilEnd({ log, clock }: Place): Promise<number> {
	for (let number = 1; ; number++) {
		await log.until(
			"the run ends or waits",
			() => log.all("assistant.message").length > 0 || log.all("run.retrying").length >= number,
		);
		const retrying = log.all("run.retrying")[number - 1];
		if (!retrying) return number;
		expect(retrying.inMs).toBeLessThanOrEqual(121_000);
		await settle();
		clock.advance(retrying.inMs);
	}
}

async function surviveAttack({ attack, once, error }: AttackRow, place: Place): Promise<void> {
	const { server, log, runtime, session } = place;
	server.attack = async (scene) => {
		if (once) server.attack = undefined;
		await attack(scene);
	};
	await runtime.send(session, "Good morning");
	const attempts = await untilEnd(place);
	expect(attempts).toBeLessThanOrEqual(4);
	const [ended] = log.all("assistant.message");
	if (error) expect(ended?.error).toMatch(error);
	expect(ended?.error.length).toBeLessThan(600);
	expect(server.stolen).toBe(0);
	for (const { usage } of log.all("model.called")) {
		for (const figure of Object.values(usage))
			expect(Number.isInteger(figure) && figure >= 0 && figure <= 1e9).toBe(true);
	}
	server.attack = undefined;
	await runtime.send(session, "Are you there?");
	await expect(log.the("assistant.message", 2)).resolves.toMatchObject({ content: "Still here.", error: "" });
	log.check();
	expect(server.sent / attempts).toBeLessThan(maxReadBytes);
	expect({}).not.toHaveProperty("polluted");
}

describe.each(testedFamilies.map((one) => [one.family, one] as const))("%s", (_, tested) => {
	test.for(attacks.map((row) => [row.name, row] as const))(
		"%s ends the run with an error at most, and the next message works",
		async ([, row]) => {
			await withSeeds({ times: row.seeds ?? 1 }, async (random) => {
				await using place = await open(tested, random);
				await surviveAttack(row, place);
			});
		},
	);
});
