import { ManualClock, MemoryLogger } from "@parley/base/testing";
import { Malformed } from "@parley/connector";
import { openSqlite } from "@parley/connector/testing";
import type { Incoming, Translated } from "../intake/incoming.ts";
import { openIntake } from "../intake/open-intake.ts";
import { ScriptedSlack, self } from "./scripted-slack.ts";

/** Opens the intake over a scripted Slack and an empty database. */
export async function openReading() {
	const [clock, log, port] = [new ManualClock(), new MemoryLogger(), new ScriptedSlack()];
	const store = await openSqlite();
	const malformed = new Malformed("Slack", log);
	const reading = openIntake({ self, port, store, malformed, clock, log });
	const translate = (event: object, outer: object = {}): Promise<Translated> =>
		reading.intake.translate({ event_id: "Ev1", type: "event_callback", event, ...outer });
	const inboundOf = async (event: object, outer: object = {}): Promise<Incoming> => {
		const translated = await translate(event, outer);
		if ("ignored" in translated) throw new Error(translated.ignored);
		const [first] = translated;
		if (first === undefined) throw new Error("nothing arrived");
		return first;
	};
	return { ...reading, clock, log, port, store, malformed, translate, inboundOf };
}
