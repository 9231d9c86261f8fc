import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import type { SessionFacts } from "../client/find-session.ts";
import { event } from "../testing/events.ts";
import { FakeClient } from "../testing/fake-session.ts";
import { StatusLine } from "./status-line.ts";

const facts: SessionFacts = {
	id: "sess_1",
	title: "",
	state: "idle",
	created_at: "2026-01-01T00:00:00Z",
	updated_at: "2026-01-01T00:00:00Z",
	message_count: 0,
	token_usage: { input: 0, output: 0 },
	cost_usd: 0,
	root_dir: "/home/ada/work",
	profile: "default",
};

async function opened(changes: Partial<SessionFacts> = {}) {
	const client = new FakeClient();
	const status = new StatusLine({
		client,
		home: "/home/ada",
		find: async () => ({ ...facts, ...changes }),
		readSandbox: async () => "bubblewrap",
		changed: () => undefined,
	});
	status.session("sess_1");
	client.last("list_models").answer({ default: "big", models: [{ name: "big", context_window: 1_000 }] });
	await setImmediate();
	return status;
}

const usage = { tokens_cache_read: 0, tokens_cache_write: 0, tokens_output: 5, cost_usd: 0 };
const call = {
	...usage,
	run_id: "run",
	model: "big",
	provider: "p",
	message_count: 1,
	duration: 0,
	error: "",
} as const;
const ended = event("internal.llm.call", { ...call, phase: "end", tokens_input: 250 });

test("shows the facts of a session, and fewer in a narrow terminal", async () => {
	const status = await opened();
	status.event(ended);
	const spent = { ...usage, tokens_input: 250, cost_usd: 0.5 };
	status.event(event("usage.updated", { run_id: "run", run: spent, session: spent }));
	expect(status.words(80)).toBe("big · 25 % context · $0.50 · sandbox bubblewrap · ~/work");
	expect(status.words(32)).toBe("big · 25 % context · $0.50");
	status.model("other");
	expect(status.words(80)).toBe("other · $0.50 · sandbox bubblewrap · ~/work");
});

test("names no model before the first call of a session that may have another one", async () => {
	const status = await opened({ message_count: 2 });
	expect(status.words(80)).toBe("sandbox bubblewrap · ~/work");
	status.event(event("internal.llm.call", { ...call, phase: "start", tokens_input: 0 }));
	expect(status.words(80)).toBe("big · sandbox bubblewrap · ~/work");
});
