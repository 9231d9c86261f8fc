import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Store } from "@parley/base";
import { expect, test } from "vitest";
import type { Tx } from "../journal/journal.ts";
import type { Tables } from "../journal/tables.ts";
import type { ImageBlock, Message } from "../message.ts";
import { ModelTable } from "../models/table/model-table.ts";
import { operator } from "../principal.ts";
import { EventLog } from "../testing/event-log.ts";
import { testPictures } from "../testing/pictures.ts";
import { calls, ScriptedModel, type ScriptedReply, says } from "../testing/scripted-model.ts";
import { TestRuntime, type TestRuntimeOptions, unkeyed } from "../testing/test-runtime.ts";

const [{ content: png }] = testPictures;
const mebibyte = 1024 * 1024;
const padded = (bytes: number): Buffer => Buffer.concat([png, Buffer.alloc(bytes - png.length)]);
const large = Buffer.from(png);
large.writeUInt32BE(2_001, 16);

/** A picture of so many MiB as a prompt brings it, each an object of its own. */
const sent = (mebibytes: number): ImageBlock => shownAs(padded(mebibytes * mebibyte));
const shownAs = (content: Buffer): ImageBlock => ({
	...{ type: "image", mediaType: "image/png", data: content.toString("base64") },
});
const told = (mebibytes: string, why: string): string =>
	`[attached: a picture, image/png, ${mebibytes}; not here: ${why}]`;
const madeRoom = "taken out to make room: ask for it again if you need it";
const look = (id: string) => calls(id, "read_file", { path: "photo.png" });
const times = <T>(number: number, make: (index: number) => T): T[] =>
	Array.from({ length: number }, (_, index) => make(index));

class Showing implements AsyncDisposable {
	readonly t: TestRuntime;
	readonly model: ScriptedModel;
	readonly session: string;
	readonly log: EventLog;

	private constructor(parts: Pick<Showing, "t" | "model" | "session" | "log">) {
		this.t = parts.t;
		this.model = parts.model;
		this.session = parts.session;
		this.log = parts.log;
	}

	static async begin(
		replies: readonly ScriptedReply[],
		options: Partial<TestRuntimeOptions> = {},
		id?: string,
	): Promise<Showing> {
		const model = new ScriptedModel(...replies);
		const t = await TestRuntime.open({ ...options, model });
		const session = id ?? (await t.create());
		return new Showing({ t, model, session, log: await EventLog.join(t.runtime, session) });
	}

	put(content: Uint8Array): Promise<void> {
		return writeFile(join(this.t.directory, "work", "photo.png"), content);
	}

	async prompt(content: string, ...images: readonly ImageBlock[]) {
		await this.t.runtime.send(unkeyed(), this.session, { content, images });
		return this.log.next("assistant.message");
	}

	async attach(...contents: readonly Buffer[]) {
		const attachments: string[] = [];
		for (const content of contents) {
			const whole = async function* () {
				yield content;
			};
			const { id } = await this.t.runtime.files.keep(operator, { name: "mine.png", content: whole() });
			attachments.push(id);
		}
		await this.t.runtime.send(unkeyed(), this.session, { content: "mine", attachments });
		return this.log.next("assistant.message");
	}

	async compact(): Promise<void> {
		const { signal } = new AbortController();
		await this.t.runtime.compact(unkeyed(), this.session, { signal });
	}

	messages(request = -1): readonly Message[] {
		return this.model.requests.at(request)?.messages ?? [];
	}

	/** How many pictures each message of a request has that may have some. */
	shown(request = -1): number[] {
		return this.messages(request).flatMap((message) => {
			if (message.role === "assistant") return [];
			if (message.role === "user") return [message.content.filter(({ type }) => type === "image").length];
			return message.content.map(({ pictures }) => pictures?.length ?? 0);
		});
	}

	/** The text of the nth message of a request. */
	text(index: number, request = -1): string {
		const content = this.messages(request).at(index)?.content ?? [];
		return content.flatMap((block) => ("text" in block ? [block.text] : [])).join();
	}

	/** Everything is as before, and another process goes on. */
	async restart(...replies: readonly ScriptedReply[]): Promise<Showing> {
		await this.t.stop();
		const { directory, clock } = this.t;
		return Showing.begin(replies, { directory, clock }, this.session);
	}

	[Symbol.asyncDispose](): Promise<void> {
		return this.t[Symbol.asyncDispose]();
	}
}

/** A window for many pictures. */
const table = new ModelTable([
	{
		...{ id: "scripted", provider: "scripted", contextWindow: 1_000_000, maxOutput: 1000 },
		...{ reasoning: "none", sampling: true, images: true },
	},
]);

const answers = (number: number): ScriptedReply[] => times(number, (index) => [says(`answer ${index}`)]);

test("pictures of older prompts make room for those of a prompt, and the model reads it in their place", async () => {
	const before = await Showing.begin(answers(5));
	for (let n = 0; n < 3; n++) await before.prompt(`prompt ${n}`, sent(3), sent(3));
	expect(before.shown()).toEqual([2, 2, 2]);
	expect(before.messages(2).slice(0, 3)).toEqual(before.messages(1));
	await before.prompt("prompt 3", sent(3));
	expect(before.shown()).toEqual([0, 0, 2, 1]);
	expect(before.text(0)).toBe(`prompt 0\n\n${told("3.0 MiB", madeRoom)}\n${told("3.0 MiB", madeRoom)}`);
	const [first, ...rest] = before.messages();
	expect(first?.content).toHaveLength(1);
	await before.prompt("prompt 4");
	expect(before.messages().slice(0, 7)).toEqual([first, ...rest]);
	await using after = await before.restart(...answers(1));
	await after.prompt("prompt 5");
	expect(after.messages().slice(0, 9)).toEqual(before.messages());
});

test("pictures of older prompts make room for those that tools read, those of the prompt at work do not", async () => {
	await using showing = await Showing.begin([
		...answers(1),
		[look("c1")],
		[look("c2"), look("c3")],
		[says("seen")],
	]);
	await showing.put(padded(3 * mebibyte));
	await showing.prompt("old", sent(3), sent(3), sent(3));
	await showing.prompt("at work", sent(3), sent(3));
	expect(showing.shown(2)).toEqual([3, 2, 1]);
	expect(showing.shown()).toEqual([0, 2, 0, 1, 1]);
});

test("results and prompts give way in the order in which they came", async () => {
	await using showing = await Showing.begin([[look("c1")], ...answers(3)]);
	await showing.put(padded(3 * mebibyte));
	await showing.prompt("first");
	await showing.prompt("second", sent(3), sent(3), sent(3));
	expect(showing.shown()).toEqual([0, 1, 3]);
	await showing.prompt("third", sent(3), sent(3), sent(3));
	expect(showing.shown()).toEqual([0, 0, 0, 3]);
	expect(showing.text(2)).toMatch(/\n\[its picture was taken out to make room: look again/);
});

test("pictures of one prompt for which there is no room are told of", async () => {
	const before = await Showing.begin(answers(1));
	await before.prompt("many", ...times(7, () => sent(3)));
	expect(before.shown()).toEqual([6]);
	expect(before.text(0)).toMatch(
		/^many\n\n\[attached: a picture, image\/png, 3\.0 MiB; not here: the pictures of this conversation have 18874368 bytes together at most.*\]$/,
	);
	await using after = await before.restart(...answers(1));
	await after.prompt("and now?");
	expect(after.messages().slice(0, 1)).toEqual(before.messages());
});

test("a prompt that is asked again keeps its pictures while the run reads others", async () => {
	await using showing = await Showing.begin([...answers(1), [look("c1"), look("c2")], [says("seen")]]);
	await showing.put(padded(3 * mebibyte));
	await showing.prompt("look", ...times(5, () => sent(3)));
	await showing.t.runtime.retry(unkeyed(), showing.session);
	await showing.log.next("assistant.message");
	expect(showing.shown()).toEqual([5, 1, 0]);
});

test("attached pictures stay, and prompts count them", async () => {
	await using showing = await Showing.begin(answers(3));
	await showing.attach(...times(3, () => padded(3 * mebibyte)));
	await showing.prompt("first", sent(3), sent(3));
	await showing.prompt("second", sent(3), sent(3));
	expect(showing.shown()).toEqual([3, 0, 2]);
});

test("what a summary stands for takes no room", async () => {
	await using showing = await Showing.begin([...answers(1), [says("a summary")], ...answers(2)]);
	await showing.attach(...times(6, () => padded(3 * mebibyte)));
	await showing.compact();
	await showing.attach(...times(6, () => padded(3 * mebibyte)));
	expect(showing.shown()).toEqual([0, 6]);
});

test("what a summary stands for is not taken out of the record for the sake of others", async () => {
	const ids = times(6, (index) => `c${index}`);
	await using showing = await Showing.begin([
		...[ids.map((id) => look(id)), [says("seen")], [says("a summary")]],
		...answers(1),
	]);
	await showing.put(padded(3 * mebibyte));
	await showing.prompt("look");
	await showing.compact();
	await showing.attach(padded(3 * mebibyte));
	expect(showing.shown()).toEqual([0, 1]);
	const steps = await showing.t.store.read((db) => db.selectFrom("steps").select("data").execute());
	expect(steps.filter(({ data }) => data.includes('"pictures":['))).toHaveLength(6);
});

test("the transaction that takes pictures out reads no steps", async () => {
	let reads = 0;
	const watched = (tx: Tx): Tx =>
		new Proxy(tx, {
			get(target, name) {
				const value: unknown = Reflect.get(target, name, target);
				if (typeof value !== "function") return value;
				return (...args: unknown[]): unknown => {
					if (name === "selectFrom" && args[0] === "steps") reads += 1;
					return Reflect.apply(value, target, args);
				};
			},
		});
	const wrap = (store: Store<Tables>): Store<Tables> =>
		new Proxy(store, {
			get(target, name) {
				if (name === "commit") {
					return <T>(command: (tx: Tx) => Promise<T>) => target.commit((tx) => command(watched(tx)));
				}
				const value: unknown = Reflect.get(target, name, target);
				return typeof value === "function" ? value.bind(target) : value;
			},
		});
	const ids = times(4, (index) => `c${index}`);
	await using showing = await Showing.begin(
		[ids.map((id) => look(id)), [says("seen")], ids.map((id) => look(`d${id}`)), [says("seen")]],
		{ wrap },
	);
	await showing.put(padded(3 * mebibyte));
	await showing.prompt("look");
	await showing.prompt("look again");
	expect(showing.shown()).toEqual([0, 0, 0, 0, 0, 0, 1, 1, 1, 1]);
	expect(reads).toBe(0);
});

test("where one picture is large there are no more than twenty, and ten when the oldest make room", async () => {
	const before = await Showing.begin([...answers(2), [look("c1")], [says("seen")]], { table });
	await before.prompt("old", ...times(12, () => shownAs(png)));
	await before.prompt("later", ...times(8, () => shownAs(png)));
	await before.put(large);
	await before.prompt("look");
	expect(before.shown(2)).toEqual([12, 8, 0]);
	expect(before.shown()).toEqual([0, 8, 0, 1]);
	await using after = await before.restart(...answers(1));
	await after.prompt("and now?");
	expect(after.shown()).toEqual([0, 8, 0, 1, 0]);
});

test("small pictures may be more than twenty, and of attached ones beyond it a large one is put aside", async () => {
	await using showing = await Showing.begin(answers(2), { table });
	await showing.attach(...times(21, () => png));
	await showing.attach(large);
	expect(showing.shown()).toEqual([21, 0]);
	expect(showing.text(2)).toMatch(/^mine\n\n\[attached: attachments\/mine\.png, image\/png, \d+ bytes\]$/);
});
