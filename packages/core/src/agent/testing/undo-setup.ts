import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Failpoints, noFailpoints } from "@parley/base";
import { EventLog } from "../../testing/event-log.ts";
import { calls, ScriptedModel, type ScriptedReply } from "../../testing/scripted-model.ts";
import { TestRuntime, type TestRuntimeOptions, unkeyed } from "../../testing/test-runtime.ts";
import type { Model, ModelEvent } from "../../vocabulary/model.ts";
import type { Prompt } from "../../vocabulary/prompt.ts";

export function write(id: string, path: string, content: string): ModelEvent {
	return calls(id, "write_file", { path, content });
}

export function editCall(id: string, path: string, old_text: string, new_text: string): ModelEvent {
	return calls(id, "edit_file", { path, old_text, new_text });
}

export class UndoSetup<M extends Model = ScriptedModel> implements AsyncDisposable {
	readonly t: TestRuntime;
	readonly model: M;
	readonly session: string;
	readonly log: EventLog;

	private constructor(t: TestRuntime, model: M, session: string, log: EventLog) {
		this.t = t;
		this.model = model;
		this.session = session;
		this.log = log;
	}

	static start(...replies: readonly ScriptedReply[]): Promise<UndoSetup> {
		return UndoSetup.with(new ScriptedModel(...replies));
	}

	static async with<M extends Model>(
		model: M,
		options: Partial<TestRuntimeOptions> = {},
	): Promise<UndoSetup<M>> {
		const t = await TestRuntime.open({ ...options, model });
		const session = await t.create();
		return new UndoSetup(t, model, session, await EventLog.join(t.runtime, session, { afterSeq: 0 }));
	}

	async restart(failpoints: Failpoints = noFailpoints): Promise<UndoSetup<M>> {
		const { model, session } = this;
		const { directory, clock } = this.t;
		await this.t.stop();
		const t = await TestRuntime.open({ model, directory, clock, failpoints });
		const { last_seq } = await t.store.read((db) =>
			db.selectFrom("sessions").select("last_seq").where("id", "=", session).executeTakeFirstOrThrow(),
		);
		const log = await EventLog.join(t.runtime, session, { afterSeq: Number(last_seq) });
		await t.runtime.start();
		return new UndoSetup(t, model, session, log);
	}

	path(name: string): string {
		return join(this.t.directory, "work", name);
	}

	async put(name: string, content: string | Buffer, mode = 0o644): Promise<void> {
		await mkdir(dirname(this.path(name)), { recursive: true });
		await writeFile(this.path(name), content);
		await chmod(this.path(name), mode);
	}

	read(name: string): Promise<string | undefined> {
		return readFile(this.path(name), "utf8").catch(() => undefined);
	}

	/** Sends a message, and approves calls until the turn ends. */
	async turn(message = "go"): Promise<void> {
		await this.t.runtime.send(unkeyed(), this.session, { content: message });
		await this.untilEnd();
	}

	async untilEnd(): Promise<void> {
		for (;;) {
			const event = await this.log.next("prompt.requested", "assistant.message");
			if (event.type === "assistant.message") return;
			await this.#approve(event.prompt);
		}
	}

	async #approve({ token }: Prompt): Promise<void> {
		await this.t.runtime.answer(unkeyed(), token, { value: true });
	}

	async approveNext(): Promise<void> {
		const { prompt } = await this.log.next("prompt.requested");
		await this.#approve(prompt);
	}

	async startUndo(partly = false): Promise<void> {
		await this.t.runtime.operator.undo(unkeyed(), this.session, partly);
	}

	/** Undoes the last turn with changes. Returns the approval, if one was required, and the result. */
	async undo(partly = false): Promise<{ readonly prompt: Prompt | undefined; readonly result: string }> {
		await this.startUndo(partly);
		let prompt: Prompt | undefined;
		let result = "";
		for (;;) {
			const event = await this.log.next(
				"prompt.requested",
				"tool.completed",
				"tool.failed",
				"assistant.message",
			);
			if (event.type === "assistant.message") return { prompt, result };
			if (event.type === "prompt.requested") {
				prompt = event.prompt;
				await this.#approve(prompt);
			} else result = event.type === "tool.failed" ? event.error : event.result;
		}
	}

	changes() {
		return this.t.runtime.operator.changes(unkeyed().principal, this.session);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.t[Symbol.asyncDispose]();
	}
}
