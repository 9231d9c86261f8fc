import { ManualClock, MemoryLogger } from "@parley/base/testing";
import type { OutboxRow } from "@parley/connector";
import { expect, test } from "vitest";
import { refused, ScriptedPort } from "../testing/scripted-slack.ts";
import { slackSurface } from "./slack-surface.ts";

const self = { team: "T1", user: "U0", bot: "B0", name: "parley", url: "https://acme.slack.com/" };
const url = "https://hooks.slack.com/1";
const shown = { text: "only you", blocks: [{ type: "markdown", text: "only you" }] };

function open() {
	const clock = new ManualClock();
	const port = new ScriptedPort();
	const surface = slackSurface({
		...{ port, self, clock, log: new MemoryLogger(), cards: async () => undefined },
		readFile: async () => new Uint8Array(),
	});
	const row = (token: object, more: object = {}): OutboxRow => ({
		id: "a/1/0",
		nonce: "n",
		conversation: "ticket:t",
		lane: "acknowledgement",
		at: clock.now(),
		attempt: 1,
		payload: {
			type: "private",
			body: "only you",
			expiresAt: clock.now() + 1000,
			ticket: { id: "t", token: JSON.stringify(token) },
			...more,
		},
	});
	return { clock, port, surface, row };
}

test("a press is answered at its own response URL", async () => {
	const { surface, port, row } = open();
	const ticket = { url, channel: "C1", user: "U1", thread: "1.2" };
	expect(await surface.send(row(ticket))).toEqual({ remote: "t" });
	expect(port.calls).toEqual([
		{
			method: "respond",
			args: { url, ...shown, thread_ts: "1.2", response_type: "ephemeral", replace_original: false },
		},
	]);
});

test("without an address, or after its limit, the answer is posted in the channel for that person only", async () => {
	const { surface, port, row } = open();
	port.answer("respond", refused("used_url"));
	await surface.send(row({ url, channel: "C1", user: "U1" }));
	await surface.send(row({ channel: "C1", user: "U1" }));
	expect(port.methods).toEqual(["respond", "chat.postEphemeral", "chat.postEphemeral"]);
	expect(port.last).toEqual({ channel: "C1", user: "U1", ...shown, parse: "none", link_names: false });
});

test("a private answer with an unknown result is sent again within its time, unless it is empty", async () => {
	const { surface, port, row, clock } = open();
	const ticket = { url, channel: "C1", user: "U1" };
	port.answer("respond", new Error("timed out"));
	await expect(surface.send(row(ticket))).rejects.toMatchObject({ kind: "unknown" });
	expect(await surface.find(row(ticket))).toBeUndefined();
	expect(await surface.send(row(ticket, { body: "" }))).toEqual({ remote: "t" });
	const late = row(ticket);
	clock.advance(1000);
	await expect(surface.send(late)).rejects.toMatchObject({ kind: "gone" });
	await expect(surface.find(late)).rejects.toMatchObject({ kind: "gone" });
	expect(port.calls).toHaveLength(1);
});

test("a file goes to the person's direct messages", async () => {
	const { surface, port, row } = open();
	const file = { name: "answer.md", content: "all" };
	await surface.send(row({ url, channel: "C1", user: "U1" }, { file }));
	expect(port.calls[0]).toEqual({ method: "conversations.open", args: { users: "U1" } });
	expect(port.calls[3]?.args).toEqual({ files: [{ id: "F901", title: "answer.md" }], channel_id: "D1" });
	expect(port.last?.["text"]).toBe("only you\n\nThe file is in your direct messages with me.");
	port.answer("conversations.open", refused("missing_scope", { needed: "im:write" }));
	await surface.send(row({ url, channel: "C1", user: "U1" }, { file }));
	expect(port.last?.["text"]).toContain("File not attached");
});
