import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { builtinModels } from "@parley/core";
import { expect, test } from "vitest";
import { Random } from "../random.ts";
import type { ReceivedRequest } from "../simulators/anthropic/received-request.ts";
import { type ReplyBlock, type StreamedReply, says, thinks } from "../simulators/anthropic/reply.ts";
import { Talk } from "./talk.ts";
import { code, mixed, prose } from "./texts.ts";

const mark = ',"cache_control":{"type":"ephemeral"}';

function prefixOf({ bytes }: ReceivedRequest): string {
	const text = bytes.toString();
	const last = text.lastIndexOf(mark);
	expect(last).toBeGreaterThan(0);
	// The positions of cache markers differ between requests.
	return text.slice(0, last).replaceAll(mark, "");
}

function info(id: string) {
	const known = builtinModels.find((model) => model.id === id);
	if (!known) throw new Error(`no model ${id}`);
	return known;
}

function replyTo(random: Random, { body }: ReceivedRequest): StreamedReply {
	const last = body.messages.at(-1);
	const blocks = typeof last?.content === "string" ? [] : (last?.content ?? []);
	const text = JSON.stringify(blocks);
	const thought: ReplyBlock[] = random.chance(0.7) ? [thinks(prose(random, 20))] : [];
	if (random.chance(0.3)) thought.push({ type: "redacted_thinking", data: btoa(prose(random, 5)) });
	const results = blocks.filter(({ type }) => type === "tool_result").length;
	if (!text.includes("read") || (results > 0 && random.chance(0.6))) {
		return { content: [...thought, { type: "text", text: `Well: ${mixed(random, 20)} "quoted" \\ 👋` }] };
	}
	const calls = Array.from({ length: random.between(1, 3) }, (): ReplyBlock => {
		const path = random.pick(["a.ts", "b.ts", "missing.ts"]);
		const json = random.chance(0.1) ? '{"path": oops' : JSON.stringify({ path });
		return { type: "tool_use", id: `toolu_${random.below(1e12)}`, name: "read_file", json };
	});
	return { content: [...thought, ...calls] };
}

/** Interruptions, keyed by the number of the turn that follows them. */
const trouble: Readonly<Record<number, (talk: Talk) => Promise<unknown>>> = {
	async 5(talk) {
		talk.fake.script({ ...says("cut off here"), stop: "max_tokens" });
		await talk.begin("say more than you can");
		await talk.answered();
	},
	async 8(talk) {
		talk.fake.script({ ...says("half of an answer that breaks off"), break: { at: 1, how: "end" } });
		await talk.begin("say it twice");
		const { inMs } = await talk.log.the("run.retrying");
		await talk.runtime.settle();
		talk.clock.advance(inMs);
		await talk.answered();
	},
	async 10(talk) {
		talk.fake.script({ status: 400 });
		await talk.begin("be refused");
		await talk.answered();
	},
	12: (talk) => talk.restart(),
};

test.for(["claude-sonnet-5-5", "claude-opus-5-5", "claude-haiku-4-5"])(
	"over 20 turns the text before the last breakpoint does not change: %s",
	async (id) => {
		const random = new Random(7);
		await using talk = await Talk.open({ info: info(id) });
		talk.fake.otherwise((request) => replyTo(random, request));
		const work = join(talk.directory, "work");
		await mkdir(work, { recursive: true });
		for (let turn = 1; turn <= 20; turn++) {
			// Changes outside of the session must not change its earlier messages.
			await writeFile(join(work, "a.ts"), code(random, 10 * turn));
			await writeFile(join(work, "b.ts"), `// ${turn}\n${code(random, 3)}`);
			await writeFile(join(work, "AGENTS.md"), `Rule ${turn}.`);
			await trouble[turn]?.(talk);
			await talk.say(`Turn ${turn}: ${turn % 3 === 0 ? "answer" : "read something"}. ${mixed(random, 30)}`);
			talk.clock.advance(60_000);
		}
		const { requests } = talk.fake;
		expect(requests.length).toBeGreaterThan(30);
		for (const [index, request] of requests.entries()) {
			const before = requests[index - 1];
			if (before) expect(prefixOf(request).startsWith(prefixOf(before)), `request ${index + 1}`).toBe(true);
		}
		// The token usage must confirm the comparison above: each request reads the complete previous prompt from the
		// cache.
		const [, ...answered] = requests.flatMap(({ usage }) => (usage ? [usage] : []));
		let known = requests[0]?.usage?.cache_creation_input_tokens ?? 0;
		expect(known).toBeGreaterThan(1_024);
		for (const {
			input_tokens: outside,
			cache_read_input_tokens: read,
			cache_creation_input_tokens: written,
		} of answered) {
			expect({ read, outside }).toEqual({ read: known, outside: 0 });
			known += written ?? 0;
		}
	},
);
