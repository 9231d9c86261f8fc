import { expect, test } from "vitest";
import { Inbox, type QueuedEvent } from "../inbound/inbox.ts";
import { DeliveryError, type OutboxRow } from "../platform/surface.ts";
import { engines } from "../testing/open-stores.ts";
import { PostOffice } from "../testing/post-office.ts";
import { sweep } from "./retention.ts";

test.each(engines)(
	"posts, edits, doubts, decisions, events and sweeps are the same on %s",
	async (_engine, open) => {
		const office = await PostOffice.open(open);
		const { surface, outbox } = office;
		await office.plan([{ lane: "milestone", card: "task", payload: "0 %" }, { payload: "hello" }]);
		await office.plan([{ lane: "progress", card: "task", payload: "50 %" }]);
		expect(office.shown).toEqual(["50 %", "hello"]);
		expect(await outbox.posted("task")).toBe("post 1");
		expect(await outbox.cursor("sess_1")).toBe(2);

		surface.script.push((row: OutboxRow) => {
			surface.carryOut(row);
			throw new DeliveryError("502", { kind: "unknown" });
		});
		await office.plan([{ payload: "lost answer" }]);
		expect(office.shown).toEqual(["50 %", "hello", "lost answer"]);
		expect(surface.calls.slice(-2)).toEqual(['send "lost answer"', "find sess_1/3/0"]);

		await office.plan([{ payload: "for whom?", decisionReason: "a guest has joined" }]);
		expect(await outbox.stuck(10)).toMatchObject([
			{ id: "sess_1/4/0", state: "held", reason: "a guest has joined" },
		]);
		await outbox.decide("sess_1/4/0", { send: true, by: "operator" });
		await office.store.quiet();
		expect(office.shown.at(-1)).toBe("for whom?");
		await outbox.stop();

		const { store, clock, log } = office;
		const received: QueuedEvent[] = [];
		const handle = async (event: QueuedEvent): Promise<void> => void received.push(event);
		const inbox = await Inbox.start({ store, clock, log, handle, chance: () => 0 });
		const event = { id: "a", conversation: "general", data: { text: "hi" } };
		expect([await inbox.accept(event), await inbox.accept(event)]).toEqual([true, false]);
		await store.quiet();
		expect(received).toEqual([event]);
		await sweep(store, clock.now() + 365 * 24 * 3_600_000);
		for (const table of ["outbox", "inbound", "cards"] as const) {
			expect(await store.read((db) => db.selectFrom(table).selectAll().execute())).toEqual([]);
		}
		await store.close();
	},
);
