import { expect, test } from "vitest";
import { openReading } from "../testing/reading.ts";

const first = "1767225600.000000";
const message = { type: "message", channel: "C1", channel_type: "channel", user: "UADA", ts: first };

function edit(seconds: number, text: string): object {
	const { channel: _, channel_type: __, ...inner } = message;
	const edited = { user: "UADA", ts: `${seconds}.000000` };
	return {
		type: "message",
		subtype: "message_changed",
		channel: "C1",
		ts: `${seconds}.000001`,
		message: { ...inner, text, edited },
		previous_message: { ...inner, text: "before" },
	};
}

const deleted = { type: "message", subtype: "message_deleted", channel: "C1", deleted_ts: first, ts: "2.2" };

test("a message that is redelivered after its edit or deletion is ignored", async () => {
	const { translate, inboundOf, store } = await openReading();
	const storeEvent = async (event: object): Promise<void> => {
		const { key, inbound } = await inboundOf(event);
		const stored = { ...key, data: JSON.stringify(inbound), state: "done", attempts: 1 } as const;
		await store.commit((tx) =>
			tx
				.insertInto("inbound")
				.values({ ...stored, reason: null, changed_at: 0 })
				.execute(),
		);
	};
	const sentMessage = { ...message, text: "hello" };
	const old = { ignored: "the message was edited or deleted later" };
	expect(await translate(sentMessage)).not.toEqual(old);
	await storeEvent(edit(1767225607, "second"));
	expect(await translate(sentMessage)).toEqual(old);
	expect(await translate(edit(1767225605, "first"))).toEqual(old);
	expect(await translate(edit(1767225607, "second"))).not.toEqual(old);
	await storeEvent(deleted);
	expect(await translate(edit(1767225609, "third"))).toEqual(old);
	expect(await translate({ ...sentMessage, ts: "1767225600.000001" })).not.toEqual(old);
});
