import { setImmediate as tick } from "node:timers/promises";
import { expect, test } from "vitest";
import { openReading } from "../testing/reading.ts";
import { ok } from "../testing/scripted-slack.ts";
import type { SlackAnswer } from "../vocabulary/slack-port.ts";

const file = { id: "F1", name: "a.pdf", size: 3, url_private_download: "https://files.slack.com/a" };
const sentMessage = {
	type: "message",
	subtype: "file_share",
	channel: "C1",
	channel_type: "channel",
	user: "UADA",
	text: "<@UBOT> read this",
	ts: "1767225600.000100",
	files: [file],
};
const { files: _, subtype: __, ...bare } = sentMessage;
const mention = { ...bare, type: "app_mention" };
const attached = { inbound: { text: "read this", attachments: [{ id: "F1" }] } };

test("a mention without the files of its message waits for it, and both have the same result", async () => {
	const first = await openReading();
	const waiting = first.inboundOf(mention);
	for (let turn = 0; turn < 20; turn++) await tick();
	const message = await first.inboundOf(sentMessage);
	expect(message).toMatchObject(attached);
	expect(await waiting).toEqual(message);
	const second = await openReading();
	expect(await second.inboundOf(sentMessage)).toMatchObject(attached);
	expect(await second.inboundOf(mention)).toMatchObject(attached);
	expect([first.clock.pending, second.clock.pending]).toEqual([0, 0]);
});

test("without its message, a mention is handled after a second, and one with files does not wait", async () => {
	const { inboundOf, clock } = await openReading();
	expect(await inboundOf({ ...mention, files: [file] })).toMatchObject(attached);
	const waiting = inboundOf(mention);
	clock.advance(999);
	const first = await Promise.race([waiting, tick("nothing yet")]);
	clock.advance(1);
	expect([first, (await waiting).inbound]).toMatchObject(["nothing yet", { attachments: [] }]);
});

test("a mention whose message is not handled is not handled either, and both are redelivered", async () => {
	const { inboundOf, port } = await openReading();
	const limited: SlackAnswer = { type: "rate-limited", retryAfterMs: 1000 };
	const far = { ...sentMessage, files: [{ id: "F1", file_access: "check_file_info" }] };
	port.answer("files.info", limited, ok({ file }));
	const waiting = expect(inboundOf(mention)).rejects.toMatchObject({ code: "unavailable" });
	await expect(inboundOf(far)).rejects.toMatchObject({ code: "unavailable" });
	await waiting;
	const again = inboundOf(mention);
	expect(await inboundOf(far)).toMatchObject(attached);
	expect(await again).toMatchObject(attached);
});

test("without its message, a mention is handled with the attachments that Slack returns", async () => {
	const { inboundOf, clock, port } = await openReading();
	port.answer("conversations.replies", ok({ messages: [sentMessage] }));
	const waiting = inboundOf(mention);
	clock.advance(1000);
	expect(await waiting).toMatchObject(attached);
	const args = { channel: "C1", ts: sentMessage.ts, limit: 1 };
	expect(port.calls).toContainEqual({ method: "conversations.replies", args });
});

test("a forwarded message in a mention is read like its files", async () => {
	const forward = {
		is_share: true,
		from_url: "https://a.slack.com/x",
		author_name: "Bob",
		text: "see <@UADA>",
	};
	const forwarded = { ...sentMessage, subtype: undefined, files: undefined, attachments: [forward] };
	const text = "read this\n\n> Bob:\n> see @Ada";
	const both = await openReading();
	const waiting = both.inboundOf(mention);
	await both.inboundOf(forwarded);
	expect(await waiting).toMatchObject({ inbound: { text, attachments: [], address: { us: true } } });
	const { inboundOf, clock, port } = await openReading();
	port.answer("conversations.replies", ok({ messages: [forwarded] }));
	const alone = inboundOf(mention);
	clock.advance(1000);
	expect(await alone).toMatchObject({ inbound: { text } });
});

test("a mention whose attachments Slack does not show is redelivered; the last one is handled unchanged", async () => {
	const { inboundOf, clock, port, intake } = await openReading();
	const limited: SlackAnswer = { type: "rate-limited", retryAfterMs: 1000 };
	port.answer("conversations.replies", limited, limited, ok({ messages: [sentMessage] }));
	const first = expect(inboundOf(mention)).rejects.toMatchObject({ code: "unavailable" });
	clock.advance(1000);
	await first;
	const last = intake.translate({ event_id: "Ev1", event: mention }, true);
	clock.advance(1000);
	expect(await last).toMatchObject([{ inbound: { attachments: [] } }]);
	const again = inboundOf(mention);
	clock.advance(1000);
	expect(await again).toMatchObject(attached);
});
