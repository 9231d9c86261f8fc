import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Failpoints } from "@parley/base";
import { expect, test } from "vitest";
import { findTaint } from "../store/session-taint.ts";
import { EventLog } from "../testing/event-log.ts";
import { calls, ScriptedModel, type ScriptedReply, says, stuck } from "../testing/scripted-model.ts";
import { TestRuntime, type TestRuntimeOptions, unkeyed } from "../testing/test-runtime.ts";
import type { ResultBlock } from "../vocabulary/message.ts";
import { ModelError } from "../vocabulary/model-error.ts";
import { operator } from "../vocabulary/principal.ts";
import { mebibyte, padded, png } from "./testing/showing.ts";

const image = { type: "image", mediaType: "image/png", data: png.toString("base64") } as const;
const line = `"photo.png" is a PNG image, 1 x 1 pixels, ${png.length} bytes`;
const refused = "the provider refused the request that contained it";

const readPhoto = (id: string, path = "photo.png") => calls(id, "read_file", { path });
const refuse: ScriptedReply = () => {
	throw new ModelError("could not process image", { fault: "rejected", refusesContent: true });
};

class PhotoTalk implements AsyncDisposable {
	readonly t: TestRuntime;
	readonly model: ScriptedModel;
	readonly session: string;
	readonly log: EventLog;

	private constructor(parts: Pick<PhotoTalk, "t" | "model" | "session" | "log">) {
		this.t = parts.t;
		this.model = parts.model;
		this.session = parts.session;
		this.log = parts.log;
	}

	static async begin(
		replies: readonly ScriptedReply[],
		options: Partial<TestRuntimeOptions> = {},
		id?: string,
	): Promise<PhotoTalk> {
		const model = new ScriptedModel(...replies);
		const t = await TestRuntime.open({ ...options, model });
		const session = id ?? (await t.create());
		const talk = new PhotoTalk({
			t,
			model,
			session,
			log: await EventLog.join(t.runtime, session, id ? {} : { afterSeq: 0 }),
		});
		if (!id) await talk.put("photo.png", png);
		return talk;
	}

	put(name: string, content: Uint8Array): Promise<void> {
		return writeFile(join(this.t.directory, "work", name), content);
	}

	async ask(text = "look") {
		await this.t.send(this.session, text);
		return this.log.next("assistant.message");
	}

	results(request: number): readonly ResultBlock[] {
		const messages = this.model.requests.at(request)?.messages ?? [];
		return messages.flatMap((message) => (message.role === "tool" ? message.content : []));
	}

	shown(request: number): number[] {
		return this.results(request).map(({ pictures: images }) => images?.length ?? 0);
	}

	async restart(...replies: readonly ScriptedReply[]): Promise<PhotoTalk> {
		await this.t.stop();
		const { directory, clock } = this.t;
		return PhotoTalk.begin(replies, { directory, clock }, this.session);
	}

	[Symbol.asyncDispose](): Promise<void> {
		return this.t[Symbol.asyncDispose]();
	}
}

test("the model sees an image that a tool has read in all later requests, and people see its facts", async () => {
	const before = await PhotoTalk.begin([[readPhoto("c1")], [says("nice")], [says("still nice")]]);
	await before.t.send(before.session, "look");
	await expect(before.log.next("tool.completed")).resolves.toEqual({
		type: "tool.completed",
		runId: expect.any(String),
		callId: "c1",
		name: "read_file",
		result: line,
		pictures: [{ mediaType: "image/png", bytes: png.length }],
		durationMs: expect.any(Number),
	});
	await before.log.next("assistant.message");
	const result = { type: "result", callId: "c1", text: line, failed: false, pictures: [image] };
	expect(before.results(1)).toEqual([result]);
	await before.ask("again");
	expect(before.results(2)).toEqual([result]);
	expect(await before.t.store.read((db) => findTaint(db, before.session))).toBe("");
	await using after = await before.restart([says("hello")]);
	await after.ask();
	expect(after.results(0)).toEqual([result]);
});

test("an image from outside the roots taints the session like its text", async () => {
	await using talk = await PhotoTalk.begin([[readPhoto("c1", "../outside.png")], [says("nice")]]);
	await writeFile(join(talk.t.directory, "outside.png"), png);
	await talk.t.send(talk.session, "look");
	const { prompt } = await talk.log.next("prompt.requested");
	await talk.t.runtime.answer(unkeyed(), prompt.token, { value: true });
	await talk.log.next("assistant.message");
	expect(talk.shown(1)).toEqual([1]);
	expect(await talk.t.store.read((db) => findTaint(db, talk.session))).toBe("P");
});

test("a result with an image is complete after a crash, although its file is missing", async () => {
	await using stack = new AsyncDisposableStack();
	const copy = stack.adopt(await mkdtemp(join(tmpdir(), "parley-crash-")), (path) =>
		rm(path, { recursive: true, force: true }),
	);
	let directory = "";
	let answers = 0;
	// The directory `copy` gets the state of a crash just before the second model call.
	const failpoints: Failpoints = {
		reach: async (name) => {
			if (name === "model-call" && answers++ === 1) await cp(directory, copy, { recursive: true });
		},
	};
	const talk = stack.use(await PhotoTalk.begin([[readPhoto("c1")], [says("nice")]], { failpoints }));
	directory = talk.t.directory;
	await talk.ask();
	await rm(join(copy, "work", "photo.png"));
	const again = stack.use(await PhotoTalk.begin([[says("nice")]], { directory: copy }, talk.session));
	await again.t.runtime.start();
	await expect(again.log.next("assistant.message")).resolves.toMatchObject({ content: "nice", error: "" });
	expect(again.results(0)).toEqual(talk.results(1));
	expect(again.shown(0)).toEqual([1]);
});

test("an image that another model accepted and this one refuses is removed as well", async () => {
	const replies = [[readPhoto("c1")], [says("nice")], refuse, [says("a pity")], refuse];
	await using talk = await PhotoTalk.begin(replies, { anyModel: true });
	await talk.ask();
	await talk.t.runtime.setModel(unkeyed(), talk.session, "other");
	await expect(talk.ask("again")).resolves.toMatchObject({ content: "a pity", error: "" });
	expect([talk.shown(2), talk.shown(3)]).toEqual([[1], [0]]);
	// The request contains no images, so no image can be removed and the run ends.
	await expect(talk.ask("once more")).resolves.toMatchObject({ error: "could not process image" });
});

test("an image that the provider rejects is removed, and the run continues", async () => {
	const before = await PhotoTalk.begin([
		[readPhoto("c1")],
		[says("nice"), readPhoto("c2")],
		refuse,
		[says("a pity")],
	]);
	await before.t.send(before.session, "look");
	await expect(before.log.next("run.retrying")).resolves.toMatchObject({
		reason: "could not process image; repeated without the images that tools read",
		inMs: 0,
	});
	await expect(before.log.next("assistant.message")).resolves.toMatchObject({ content: "a pity", error: "" });
	expect(before.shown(2)).toEqual([1, 1]);
	expect(before.results(3)).toMatchObject([
		{ text: line, pictures: [image] },
		{ text: `${line}\n[its image was removed: ${refused}; read a smaller copy]` },
	]);
	expect(before.shown(3)).toEqual([1, 0]);
	before.log.check();
	await using after = await before.restart([says("hello")]);
	await after.ask();
	expect(after.results(0)).toEqual(before.results(3));
});

test("a request that is rejected for another reason is sent once", async () => {
	await using talk = await PhotoTalk.begin([[readPhoto("c1")], refuse, refuse, [says("hello")]]);
	await expect(talk.ask()).resolves.toMatchObject({ error: "could not process image" });
	await expect(talk.ask()).resolves.toMatchObject({ content: "hello" });
	expect(talk.shown(3)).toEqual([0]);
});

test("images stay if the provider refuses the caller and not the images", async () => {
	const broke: ScriptedReply = () => {
		throw new ModelError("the account has no credit", { fault: "rejected" });
	};
	await using talk = await PhotoTalk.begin([[readPhoto("c1")], broke, [says("nice")]]);
	await expect(talk.ask()).resolves.toMatchObject({ error: "the account has no credit" });
	await talk.ask();
	expect(talk.shown(2)).toEqual([1]);
});

test("an image of a run that ended before the model saw it does not block the next run", async () => {
	await using talk = await PhotoTalk.begin([[readPhoto("c1")], stuck(""), refuse, [says("hello")]]);
	await talk.t.send(talk.session, "look");
	while (talk.model.requests.length < 2) await talk.t.settle();
	await talk.t.runtime.cancel(unkeyed(), talk.session);
	await talk.log.next("assistant.message");
	await expect(talk.ask()).resolves.toMatchObject({ content: "hello", error: "" });
	expect(talk.shown(2)).toEqual([1]);
	expect(talk.results(3)).toMatchObject([{ text: expect.stringContaining(refused) }]);
});

test("the oldest half of the images is removed to make space for others, also across a restart", async () => {
	const ids = Array.from({ length: 7 }, (_, index) => `c${index}`);
	const before = await PhotoTalk.begin([...ids.map((id) => [readPhoto(id)]), [says("all seen")]]);
	await before.put("photo.png", padded(3 * mebibyte));
	await expect(before.ask()).resolves.toMatchObject({ content: "all seen" });
	expect(before.shown(6)).toEqual([1, 1, 1, 1, 1, 1]);
	expect(before.shown(7)).toEqual([0, 0, 0, 0, 1, 1, 1]);
	expect(before.results(7)[0]?.text).toMatch(/\n\[its image was removed to make room: read it again/);
	await using after = await before.restart(
		...["d1", "d2", "d3"].map((id) => [readPhoto(id)]),
		[readPhoto("d4"), readPhoto("d5")],
		[says("nice")],
	);
	await after.ask();
	expect(after.shown(-2)).toEqual([0, 0, 0, 0, 1, 1, 1, 1, 1, 1]);
	expect(after.shown(-1)).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1]);
});

test("images that are too large together are not shown, and the model gets their names", async () => {
	const ids = Array.from({ length: 7 }, (_, index) => `c${index}`);
	await using talk = await PhotoTalk.begin([ids.map((id) => readPhoto(id)), [says("many")]]);
	await talk.put("photo.png", padded(3 * mebibyte));
	await talk.ask();
	expect(talk.shown(1)).toEqual([1, 1, 1, 1, 1, 1, 0]);
	expect(talk.results(1).at(-1)).toEqual({
		type: "result",
		callId: "c6",
		failed: true,
		text: expect.stringMatching(
			/\n\[not shown: the images of this conversation may have at most 18 MiB in total/,
		),
	});
	const failures = await talk.t.runtime.history.newest(operator, { limit: 9, types: ["tool.failed"] });
	expect(failures).toHaveLength(1);
});

test("images of people come before those that tools have read", async () => {
	const ids = ["c1", "c2", "c3", "c4", "c5"];
	await using talk = await PhotoTalk.begin([
		ids.map((id) => readPhoto(id)),
		[says("nice")],
		[says("yours too")],
	]);
	await talk.put("photo.png", padded(3 * mebibyte));
	await talk.ask();
	const source = async function* () {
		yield padded(3.5 * mebibyte);
	};
	const { id } = await talk.t.runtime.files.store(operator, { name: "mine.png", content: source() });
	await talk.t.runtime.send(unkeyed(), talk.session, { content: "and mine?", attachments: [id] });
	await talk.log.next("assistant.message");
	expect(talk.shown(2)).toEqual([0, 0, 0, 0, 1]);
	expect(talk.model.requests[2]?.messages.at(-1)?.content[0]).toMatchObject({ type: "image" });
});
