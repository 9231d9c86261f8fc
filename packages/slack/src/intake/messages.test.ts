import { expect, test } from "vitest";
import { openReading } from "../testing/reading.ts";
import { ok } from "../testing/scripted-slack.ts";

const message = { type: "message", channel: "C1", user: "UADA", ts: "1767225600.000100" };
const many = Array.from({ length: 2800 }, (_, n) => `<@U${1000 + n}>`).join(" ");

async function lookups(event: object): Promise<{ names: string[]; text: unknown }> {
	const { port, inboundOf } = await openReading();
	const { inbound } = await inboundOf({ ...message, ...event });
	const names = port.calls.flatMap(({ method, args }) =>
		method === "users.info" ? [String(args["user"])] : [],
	);
	return { names: names.filter((id) => id !== "UADA"), text: inbound.type === "message" && inbound.text };
}

test("a limited number of names in a text for the agent is requested once each, and the others remain ids", async () => {
	const { names, text } = await lookups({ channel: "D1", text: `<@UGUEST> <@UGUEST> ${many}` });
	expect(names).toHaveLength(20);
	expect(new Set(names).size).toBe(20);
	expect(text).toMatch(/^@gus @gus @U1000 .* @U3799$/);
	expect((await lookups({ text: "<@UBOT> ask <@UGUEST>" })).names).toEqual(["UGUEST"]);
});

test("for other messages, and for those of apps, no names are requested", async () => {
	expect(await lookups({ text: "ask <@UGUEST|gus>" })).toEqual({ names: [], text: "ask @gus" });
	expect((await lookups({ text: many })).names).toEqual([]);
	expect((await lookups({ user: undefined, bot_id: "B7", text: `<@UBOT> ${many}` })).names).toEqual([]);
});

test("a forwarded message is read with its files, and addresses no person", async () => {
	const { inboundOf } = await openReading();
	const files = [{ id: "F1", name: "a.pdf", size: 3, url_private_download: "https://files.slack.com/a" }];
	const forward = { is_share: true, author_name: "Bob", text: "ask <@UBOT> &amp; <@UOUT>", files };
	const { inbound } = await inboundOf({ ...message, channel: "D1", text: "", attachments: [forward] });
	expect(inbound).toMatchObject({
		text: "> Bob:\n> ask & @Olga Out",
		attachments: [{ id: "F1" }],
		address: { us: false, others: false },
		forwarded: true,
	});
	const preview = { from_url: "https://example.com", text: "a link preview" };
	const plain = await inboundOf({ ...message, text: "approve", attachments: [preview] });
	expect(plain.inbound).not.toHaveProperty("forwarded");
	const bad = await inboundOf({ ...message, text: "hello", attachments: "nonsense", blocks: 5 });
	expect(bad.inbound).toMatchObject({ text: "hello" });
});

test("an alert of an app has its text, also if it is only in blocks", async () => {
	const { inboundOf } = await openReading();
	const app = { ...message, user: undefined, subtype: "bot_message", bot_id: "B7", text: "" };
	const blocks = [{ type: "section", text: { type: "mrkdwn", text: "*web-1* is down" } }];
	expect((await inboundOf({ ...app, blocks })).inbound).toMatchObject({ text: "*web-1* is down" });
	const attachments = [{ title: "web-1", text: "is down" }];
	expect((await inboundOf({ ...app, attachments })).inbound).toMatchObject({ text: "> web-1\n> is down" });
});

test("a message without a redelivery is handled with the known data and the fewest rights", async () => {
	const limited = { type: "rate-limited", retryAfterMs: 30_000 } as const;
	const { port, intake, clock } = await openReading();
	const methods = ["users.info", "conversations.info", "files.info", "conversations.replies"];
	for (const method of methods) port.answer(method, limited, limited);
	const files = [
		{ id: "F1", name: "a", file_access: "check_file_info" },
		{ id: "F2", name: "b", url_private: "https://files/b" },
	];
	const event = { ...message, thread_ts: "1.1", text: "hello", files };
	const body = { event_id: "Ev1", event };
	await expect(intake.translate(body)).rejects.toMatchObject({ code: "unavailable" });
	const room = { tenant: "T1", channel: "C1", thread: "C1-1.1", shared: true, kind: "channel" };
	expect(await intake.translate(body, true)).toMatchObject([
		{
			inbound: {
				type: "message",
				text: "hello",
				room,
				ourThread: false,
				person: { id: "UADA", guest: true, roles: [] },
				attachments: [
					{ id: "F1", name: "a", url: "" },
					{ id: "F2", url: "https://files/b" },
				],
			},
			key: { id: `message:C1-${message.ts}` },
		},
	]);
	const slow = Promise.withResolvers<never>();
	port.answer("users.info", () => slow.promise);
	const received = intake.translate({ event_id: "Ev2", event: { ...event, ts: "2.2" } }, true);
	clock.advance(1000);
	expect(await received).toMatchObject([{ inbound: { person: { guest: true } } }]);
	port.answer("users.info", ok({ user: port.users["UADA"] }));
});
