import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ModelTable } from "../../models/table/model-table.ts";
import { EventLog } from "../../testing/event-log.ts";
import { testImages } from "../../testing/images.ts";
import { calls, ScriptedModel, type ScriptedReply, says } from "../../testing/scripted-model.ts";
import { TestRuntime, type TestRuntimeOptions, unkeyed } from "../../testing/test-runtime.ts";
import type { ImageBlock, Message } from "../../vocabulary/message.ts";
import { operator } from "../../vocabulary/principal.ts";

export const [{ content: png }] = testImages;
export const mebibyte = 1024 * 1024;
export const padded = (bytes: number): Buffer => Buffer.concat([png, Buffer.alloc(bytes - png.length)]);
/** An image with a side longer than 2,000 pixels. */
export const large = Buffer.from(png);
large.writeUInt32BE(2_001, 16);

export const sent = (mebibytes: number): ImageBlock => shownAs(padded(mebibytes * mebibyte));
export const shownAs = (content: Buffer): ImageBlock => ({
	type: "image",
	mediaType: "image/png",
	data: content.toString("base64"),
});
export const readPhoto = (id: string) => calls(id, "read_file", { path: "photo.png" });
export const times = <T>(number: number, make: (index: number) => T): T[] =>
	Array.from({ length: number }, (_, index) => make(index));
export const answers = (number: number): ScriptedReply[] =>
	times(number, (index) => [says(`answer ${index}`)]);

export const table = new ModelTable([
	{
		id: "scripted",
		provider: "scripted",
		contextWindow: 1_000_000,
		maxOutput: 1000,
		reasoning: "none",
		sampling: true,
		images: true,
	},
]);

interface Parts {
	readonly t: TestRuntime;
	readonly model: ScriptedModel;
	readonly session: string;
	readonly log: EventLog;
}

export class Showing implements AsyncDisposable {
	readonly t: TestRuntime;
	readonly model: ScriptedModel;
	readonly session: string;
	readonly log: EventLog;

	private constructor(parts: Parts) {
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
			const source = async function* () {
				yield content;
			};
			const { id } = await this.t.runtime.files.store(operator, { name: "mine.png", content: source() });
			attachments.push(id);
		}
		await this.t.runtime.send(unkeyed(), this.session, { content: "mine", attachments });
		return this.log.next("assistant.message");
	}

	async compact(): Promise<void> {
		const { signal } = new AbortController();
		await this.t.runtime.compact(unkeyed(), this.session, { signal });
	}

	/** Returns the number of attached images that are still part of the conversation. */
	async attached(): Promise<number> {
		const rows = await this.t.store.read((db) => db.selectFrom("runs").select("attachments").execute());
		return rows.flatMap(({ attachments }) => attachments?.match(/"shown":true/g) ?? []).length;
	}

	/** Returns the approximate size of the stored images in MiB, from the length of all stored images and steps. */
	async recorded(): Promise<number> {
		const { images, steps } = await this.t.store.read(async (db) => ({
			images: await db.selectFrom("runs").select("images as data").execute(),
			steps: await db.selectFrom("steps").select("data").execute(),
		}));
		const written = [...images, ...steps].reduce((sum, { data }) => sum + (data?.length ?? 0), 0);
		return Math.round((written * 3) / 4 / mebibyte);
	}

	messages(request = -1): readonly Message[] {
		return this.model.requests.at(request)?.messages ?? [];
	}

	/** Returns the numbers of images in a request, one for each user message and one for each tool result. */
	shown(request = -1): number[] {
		return this.messages(request).flatMap((message) => {
			if (message.role === "assistant") return [];
			if (message.role === "user") return [message.content.filter(({ type }) => type === "image").length];
			return message.content.map(({ pictures: images }) => images?.length ?? 0);
		});
	}

	text(index: number, request = -1): string {
		const content = this.messages(request).at(index)?.content ?? [];
		return content.flatMap((block) => ("text" in block ? [block.text] : [])).join();
	}

	async restart(
		replies: readonly ScriptedReply[],
		options: Partial<TestRuntimeOptions> = {},
	): Promise<Showing> {
		await this.t.stop();
		const { directory, clock } = this.t;
		return Showing.begin(replies, { directory, clock, ...options }, this.session);
	}

	[Symbol.asyncDispose](): Promise<void> {
		return this.t[Symbol.asyncDispose]();
	}
}
