import { createHash } from "node:crypto";
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Failpoints, ParleyError } from "@parley/base";
import { expect, test } from "vitest";
import { type ModelInfo, ModelTable } from "../../models/table/model-table.ts";
import type { Profiles } from "../../policy/profiles/profile.ts";
import { findTaint } from "../../store/session-taint.ts";
import { EventLog } from "../../testing/event-log.ts";
import { calls, ScriptedModel, type ScriptedReply, says, stuck } from "../../testing/scripted-model.ts";
import { testConnector } from "../../testing/test-connector.ts";
import { TestRuntime, type TestRuntimeOptions, unkeyed } from "../../testing/test-runtime.ts";
import type { UserMessage } from "../../vocabulary/message.ts";
import { ModelError } from "../../vocabulary/model-error.ts";
import { operator, type Principal } from "../../vocabulary/principal.ts";
import type { StoredFile } from "../../vocabulary/stored-file.ts";

const png = Buffer.from(
	"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
	"base64",
);
const image = { type: "image", mediaType: "image/png", data: png.toString("base64") } as const;

class Talk implements AsyncDisposable {
	readonly t: TestRuntime;
	readonly model: ScriptedModel;
	readonly session: string;
	readonly log: EventLog;

	private constructor(parts: Pick<Talk, "t" | "model" | "session" | "log">) {
		this.t = parts.t;
		this.model = parts.model;
		this.session = parts.session;
		this.log = parts.log;
	}

	static async begin(
		replies: ScriptedReply[],
		options: Partial<TestRuntimeOptions> = {},
		id?: string,
	): Promise<Talk> {
		const model = new ScriptedModel(...replies);
		const t = await TestRuntime.open({ ...options, model });
		const session = id ?? (await t.create());
		return new Talk({ t, model, session, log: await EventLog.join(t.runtime, session) });
	}

	async upload(
		name: string,
		content: Uint8Array | string,
		principal: Principal = operator,
	): Promise<StoredFile> {
		const source = async function* () {
			yield Buffer.from(content);
		};
		return this.t.runtime.files.store(principal, { name, content: source() });
	}

	async send(content: string, ...files: readonly Pick<StoredFile, "id">[]): Promise<void> {
		const attachments = files.map(({ id }) => id);
		await this.t.runtime.send(unkeyed(), this.session, { content, attachments });
	}

	found(request = 0): readonly UserMessage["content"][] {
		const messages = this.model.requests[request]?.messages ?? [];
		return messages.flatMap((message) => (message.role === "user" ? [message.content] : []));
	}

	async restart(...replies: ScriptedReply[]): Promise<Talk> {
		await this.t.stop();
		const { directory, clock } = this.t;
		return Talk.begin(replies, { directory, clock }, this.session);
	}

	[Symbol.asyncDispose](): Promise<void> {
		return this.t[Symbol.asyncDispose]();
	}
}

test("images are shown to the model, and other files are written to the working directory", async () => {
	await using talk = await Talk.begin([[says("nice")], [says("still nice")]]);
	const photo = await talk.upload("photo.png", png);
	const report = await talk.upload("report.txt", "figures");
	await talk.send("look", photo, report);
	const { id, name, mediaType, bytes } = photo;
	await expect(talk.log.next("user.message")).resolves.toMatchObject({
		attachments: [
			{ id, name, mediaType, bytes },
			{ id: report.id, name: "report.txt", mediaType: "text/plain", bytes: 7 },
		],
	});
	await talk.log.next("assistant.message");
	const text = `look\n\n[attached: photo.png, image/png, ${png.length} bytes]\n[attached: attachments/report.txt, text/plain, 7 bytes]`;
	expect(talk.found()).toEqual([[image, { type: "text", text }]]);
	expect(await readFile(join(talk.t.directory, "work", "attachments", "report.txt"), "utf8")).toBe("figures");
	expect(await talk.t.store.read((db) => findTaint(db, talk.session))).toBe("U");
	await talk.send("go on");
	await talk.log.next("assistant.message");
	expect(talk.found(1)[0]).toEqual(talk.found()[0]);
});

test("after a restart the model sees the same, and the session keeps its files", async () => {
	const before = await Talk.begin([[says("nice")]]);
	await before.send("look", await before.upload("photo.png", png), await before.upload("a.bin", "\0"));
	await before.log.next("assistant.message");
	before.t.clock.advance(400 * 24 * 60 * 60 * 1000);
	await using talk = await before.restart([says("hello")]);
	await talk.t.runtime.files.sweep();
	await talk.send("and now?");
	await talk.log.next("assistant.message");
	expect(talk.found()[0]).toEqual(before.found()[0]);
	expect(await readdir(join(talk.t.directory, "work", "attachments"))).toEqual(["a.bin"]);
});

test("a retry reads the images of its message once", async () => {
	const before = await Talk.begin([[says("nice")], [says("lovely")]]);
	await before.send("look", await before.upload("photo.png", png));
	await before.log.next("assistant.message");
	await before.t.runtime.retry(unkeyed(), before.session);
	await before.log.next("assistant.message");
	await using talk = await before.restart([says("hello")]);
	const { files } = talk.t.runtime;
	const load = files.load.bind(files);
	let loaded = 0;
	files.load = (id) => {
		loaded++;
		return load(id);
	};
	await talk.send("and now?");
	await talk.log.next("assistant.message");
	expect(talk.found()[0]).toContainEqual(image);
	expect(loaded).toBe(1);
});

test("a lost file of an image is described", async () => {
	const before = await Talk.begin([[says("nice")]]);
	const photo = await before.upload("photo.png", png);
	await before.send("look", photo);
	await before.log.next("assistant.message");
	await before.t.runtime.files.unlink([photo.id]);
	await using talk = await before.restart([says("hello")]);
	await talk.send("and now?");
	await talk.log.next("assistant.message");
	const text = `look\n\n[attached: photo.png, image/png, ${png.length} bytes; not available: it is no longer stored; if you need it, ask the user to attach it again]`;
	expect(talk.found()[0]).toEqual([{ type: "text", text }]);
});

test("images for a model without image input are written to the working directory", async () => {
	const blind: ModelInfo = {
		id: "scripted",
		provider: "scripted",
		contextWindow: 100_000,
		maxOutput: 1000,
		reasoning: "none",
		sampling: true,
		images: false,
	};
	await using talk = await Talk.begin([[says("nice")]], { table: new ModelTable([blind]) });
	await talk.send("look", await talk.upload("photo.png", png));
	await talk.log.next("assistant.message");
	expect(talk.found()).toEqual([
		[{ type: "text", text: `look\n\n[attached: attachments/photo.png, image/png, ${png.length} bytes]` }],
	]);
});

test("images that are too large, alone or together, are written to the working directory", async () => {
	await using talk = await Talk.begin([[says("nice")]]);
	const padded = (bytes: number) => Buffer.concat([png, Buffer.alloc(bytes - png.length)]);
	const large = await talk.upload("large.png", padded(3_932_161));
	const fitting: StoredFile[] = [];
	for (let n = 0; n < 5; n++) fitting.push(await talk.upload(`${n}.png`, padded(3_932_160)));
	await talk.send("look", large, ...fitting);
	await talk.log.next("assistant.message");
	expect(talk.found()[0]?.filter(({ type }) => type === "image")).toHaveLength(4);
	expect((await readdir(join(talk.t.directory, "work", "attachments"))).sort()).toEqual([
		"4.png",
		"large.png",
	]);
});

test("a rejected image does not block the next messages", async () => {
	const refuse: ScriptedReply = () => {
		throw new ModelError("could not process image of gw_0123456789abcdefghij", {
			fault: "rejected",
			refusesContent: true,
		});
	};
	const before = await Talk.begin([refuse, [says("hello")]]);
	await before.send("look", await before.upload("photo.png", png));
	await expect(before.log.next("assistant.message")).resolves.toMatchObject({
		error: expect.stringContaining("image"),
	});
	await before.send("hi");
	await before.log.next("assistant.message");
	const text = `look\n\n[attached: photo.png, image/png, ${png.length} bytes; not available: the provider refused the request that contained it; attach a smaller or different image]`;
	expect(before.found(1)[0]).toEqual([{ type: "text", text }]);
	await using talk = await before.restart([says("hello")]);
	await talk.send("again");
	await talk.log.next("assistant.message");
	expect(talk.found()[0]).toEqual([{ type: "text", text }]);
});

test("an image within a message that the provider refuses does not block the next messages either", async () => {
	const refuse: ScriptedReply = () => {
		throw new ModelError("image exceeds 5 MB", { fault: "rejected", refusesContent: true });
	};
	const before = await Talk.begin([refuse, [says("hello")]]);
	const image = { type: "image", mediaType: "image/png", data: png.toString("base64") } as const;
	await before.t.runtime.send(unkeyed(), before.session, { content: "look", images: [image] });
	await before.log.next("assistant.message");
	await before.send("again");
	await before.log.next("assistant.message");
	const text = `look\n\n[attached: an image, image/png, ${png.length} bytes; not available: the provider refused the request that contained it; attach a smaller or different image]`;
	expect(before.found(1)[0]).toEqual([{ type: "text", text }]);
	await using talk = await before.restart([says("hello")]);
	await talk.send("again");
	await talk.log.next("assistant.message");
	expect(talk.found()[0]).toEqual([{ type: "text", text }]);
});

test("images stay in the conversation if the provider refuses the caller and not the images", async () => {
	const refuse: ScriptedReply = () => {
		throw new ModelError("the account has no credit", { fault: "rejected" });
	};
	await using talk = await Talk.begin([refuse, [says("nice")]]);
	await talk.send("look", await talk.upload("photo.png", png));
	await expect(talk.log.next("assistant.message")).resolves.toMatchObject({
		error: "the account has no credit",
	});
	await talk.send("again");
	await talk.log.next("assistant.message");
	expect(talk.found(1)[0]).toContainEqual(image);
});

test("a working directory that is not writable does not block messages", async () => {
	await using talk = await Talk.begin([[says("a pity")]]);
	await writeFile(join(talk.t.directory, "work", "attachments"), "in the way");
	await talk.send("look", await talk.upload("a.txt", "x"));
	await expect(talk.log.next("assistant.message")).resolves.toMatchObject({ content: "a pity", error: "" });
	expect(talk.found()[0]).toEqual([
		{
			type: "text",
			text: expect.stringMatching(
				/; not available: cannot copy "a.txt" into \/.*\/attachments: a part of the path is a file, not a directory; check the path\]$/,
			),
		},
	]);
});

test("files that the person may not send are refused, and no part of the message is kept", async () => {
	await using talk = await Talk.begin([]);
	const { files } = talk.t.runtime;
	const refusal = async (id: string): Promise<string> => {
		const sent = talk.send("look", { id });
		return sent.then(
			() => "",
			(reason: Error) => reason.message,
		);
	};
	expect(await refusal("file_x")).toBe(
		"attachments: file not found: file_x; check the id, or upload the file again",
	);
	const { id: expired } = await talk.upload("a", "a");
	talk.t.clock.advance(files.limits.retentionMs);
	expect(await refusal(expired)).toBe(
		`attachments: file not found: ${expired}; check the id, or upload the file again`,
	);
	const { id: used } = await talk.upload("a", "a");
	const other = await talk.t.create();
	await talk.t.runtime.send(unkeyed(), other, { content: "hi", attachments: [used] });
	expect(await refusal(used)).toBe(
		`attachments: the file ${used} belongs to another session: upload it in this session`,
	);
	const discord = testConnector();
	const { id: operators } = await talk.upload("a", "a");
	const foreign = await talk.t.create(discord);
	await expect(
		talk.t.runtime.send(unkeyed(discord), foreign, { content: "hi", attachments: [operators] }),
	).rejects.toThrow(`attachments: file not found: ${operators}`);
	const messages = await talk.t.runtime.history.newest(operator, { limit: 100, types: ["user.message"] });
	expect(messages.map(({ sessionId }) => sessionId)).toEqual([other]);
});

test("the owner of the session may read files that others have sent to it", async () => {
	await using talk = await Talk.begin([[says("nice")]]);
	const discord = testConnector();
	const session = await talk.t.create(discord);
	const { id } = await talk.upload("a", "a");
	await expect(talk.t.runtime.files.find(discord, id)).rejects.toMatchObject({ code: "not_found" });
	await talk.t.runtime.send(unkeyed(), session, { content: "for you", attachments: [id] });
	await expect(talk.t.runtime.files.find(discord, id)).resolves.toMatchObject({ id });
});

test("a queued message that was cancelled is sent again with its files", async () => {
	await using talk = await Talk.begin([stuck("well"), [says("nice")]]);
	await talk.send("first");
	while (talk.model.requests.length === 0) await talk.t.settle();
	await talk.send("look", await talk.upload("a.txt", "x"));
	await talk.t.runtime.cancel(unkeyed(), talk.session, { queued: true });
	for (let n = 0; n < 2; n++) await talk.log.next("assistant.message");
	await talk.t.runtime.retry(unkeyed(), talk.session);
	await expect(talk.log.next("assistant.message")).resolves.toMatchObject({ content: "nice" });
	expect(talk.found(1).at(-1)).toEqual([
		{ type: "text", text: "look\n\n[attached: attachments/a.txt, text/plain, 1 byte]" },
	]);
});

test("a message whose run ended before its files were used is sent again with them", async () => {
	const profiles: Profiles = {
		async find() {
			if (broken) throw new ParleyError("the profile is broken", { code: "invalid_argument" });
			return { name: "default", title: "Parley", sampling: {} };
		},
		list: async () => ({ profiles: [], problems: [] }),
	};
	let broken = false;
	await using talk = await Talk.begin([[says("nice")]], { profiles });
	broken = true;
	await talk.send("look", await talk.upload("a.txt", "x"));
	await expect(talk.log.next("assistant.message")).resolves.toMatchObject({ error: "the profile is broken" });
	broken = false;
	await talk.t.runtime.retry(unkeyed(), talk.session);
	await expect(talk.log.next("assistant.message")).resolves.toMatchObject({ content: "nice" });
	expect(talk.found().at(-1)).toEqual([
		{ type: "text", text: "look\n\n[attached: attachments/a.txt, text/plain, 1 byte]" },
	]);
});

test("a file that a tool sends arrives once, also after a crash", async () => {
	await using stack = new AsyncDisposableStack();
	const copy = stack.adopt(await mkdtemp(join(tmpdir(), "parley-crash-")), (path) =>
		rm(path, { recursive: true, force: true }),
	);
	const sends = calls("c1", "send_file", { path: "report.txt", name: "May.txt" });
	let directory = "";
	// The directory `copy` gets the state of a crash between the work of a tool and the record of its result.
	const failpoints: Failpoints = {
		reach: async (name) => {
			if (name === "tool-exit") await cp(directory, copy, { recursive: true });
		},
	};
	const talk = stack.use(await Talk.begin([[sends], [says("done")]], { failpoints }));
	directory = talk.t.directory;
	await writeFile(join(directory, "work", "report.txt"), "figures");
	await talk.send("send me the report");
	const { file, callId } = await talk.log.next("file.created");
	expect(file).toMatchObject({ name: "May.txt", mediaType: "text/plain", bytes: 7 });
	expect(callId).toBe("c1");
	await expect(talk.log.next("tool.completed")).resolves.toMatchObject({
		result: 'sent "May.txt" (text/plain, 7 bytes)',
	});
	await talk.log.next("assistant.message");
	const stored = await talk.t.runtime.files.find(operator, file.id);
	expect(stored.sha256).toBe(createHash("sha256").update("figures").digest("hex"));
	await writeFile(join(copy, "work", "report.txt"), "other figures");
	const again = stack.use(await Talk.begin([[says("done")]], { directory: copy }, talk.session));
	await again.t.runtime.start();
	await again.log.next("assistant.message");
	const found = await again.t.runtime.history.newest(operator, {
		limit: 100,
		types: ["file.created", "tool.completed"],
	});
	expect(found.map(({ event }) => event.type)).toEqual(["file.created", "tool.completed"]);
	expect(found[0]?.event).toMatchObject({ file });
	await expect(again.t.runtime.files.find(operator, file.id)).resolves.toEqual(stored);
	expect(await readdir(join(copy, "data", "files"))).toEqual([file.id]);
});
