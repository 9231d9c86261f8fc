import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@parley/base";
import { ManualClock } from "@parley/base/testing";
import { expect, test } from "vitest";
import { DeliveryError } from "../platform/surface.ts";
import { openConnectorDatabase } from "../store/connector-database.ts";
import { PostOffice } from "../testing/post-office.ts";
import { checkSendTimes, type MachineStart, readMachineStart } from "./machine-start.ts";

const mark: MachineStart = { boot: "a", bootedAt: 1_000_000 };

/** Opens an office whose first post has an unclear result. The platform refuses a second post for a minute. */
async function killedWhileSending() {
	const directory = await mkdtempDisposable(join(tmpdir(), "parley-clock-"));
	const options = { platform: "discord", dataDir: directory.path, clock: new ManualClock() };
	const database = await openConnectorDatabase(options);
	await checkSendTimes(database, options.clock, async () => mark);
	const office = await PostOffice.open(async () => database.store);
	office.surface.dedupeMs = 60_000;
	office.surface.script.push((row) => {
		office.surface.carryOut(row);
		throw new DeliveryError("503", { kind: "unknown" });
	});
	await office.plan([{ payload: "once" }]);
	return {
		office,
		database,
		async [Symbol.asyncDispose]() {
			await office.outbox.stop();
			await database.store.close();
			await directory.remove();
		},
	};
}

test.each<[what: string, now: MachineStart | undefined, query: string]>([
	["went on", { ...mark, bootedAt: mark.bootedAt + 1500 }, 'send "once"'],
	["was set back by the time that the connector was away", { ...mark, bootedAt: 0 }, "find sess_1/1/0"],
	["was set forward", { ...mark, bootedAt: 2_000_000 }, "find sess_1/1/0"],
	["started again with the machine", { ...mark, boot: "b" }, "find sess_1/1/0"],
	["is unknown", undefined, "find sess_1/1/0"],
])(
	"after a kill, a post within the window is repeated only if the clock was not set: it %s",
	async (_, now, query) => {
		await using killed = await killedWhileSending();
		const { office, database } = killed;
		await checkSendTimes(database, office.clock, async () => now);
		await office.restart();
		expect(office.surface.calls.at(-1)).toBe(query);
		expect(office.shown).toEqual(["once"]);
	},
);

test.skipIf(process.platform !== "linux")(
	"the mark of this machine stays the same, and follows changes of the wall clock",
	async () => {
		const [first, second, set] = [
			await readMachineStart(() => systemClock.now()),
			await readMachineStart(() => systemClock.now()),
			await readMachineStart(() => systemClock.now() - 3_600_000),
		];
		expect(first?.boot).toMatch(/^[0-9a-f-]{36}$/);
		expect(second?.boot).toBe(first?.boot);
		expect(Math.abs((second?.bootedAt ?? 0) - (first?.bootedAt ?? 0))).toBeLessThan(2000);
		expect((first?.bootedAt ?? 0) - (set?.bootedAt ?? 0)).toBeGreaterThan(3_500_000);
	},
);
