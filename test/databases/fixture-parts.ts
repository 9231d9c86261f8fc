import { tmpdir } from "node:os";
import { ParleyError } from "@parley/base";
import {
	builtinTools,
	type Message,
	type Model,
	ModelError,
	type ModelEvent,
	type ModelRequest,
	ModelTable,
	type RuntimeOptions,
} from "@parley/core";
import * as z from "zod";

const usage = { outputTokens: 40, cacheReadTokens: 0, cacheWriteTokens: 0 };
const words = "the brook ran on below the mill and nobody counted the hours ";

/**
 * Model for the fixtures. The first word of the last message selects the reply. Only the first request with the word
 * `fail` fails.
 */
class FixtureModel implements Model {
	readonly provider = "fixture";
	readonly defaultModel = "fixture";
	readonly requests: ModelRequest[] = [];
	#failed = false;
	#calls = 0;

	async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
		this.requests.push(request);
		const last = request.messages.at(-1);
		const text = last ? textOf(last) : "";
		const [verb = ""] = text.split(" ");
		if (verb === "fail" && !this.#failed) {
			this.#failed = true;
			throw new ModelError("the model is overloaded", { fault: "overloaded" });
		}
		if (verb === "hang") {
			yield { type: "text", text: "Let me think" };
			await aborted(signal);
		}
		const id = `call_${++this.#calls}_${text.length}`;
		if (last?.role === "user" && verb === "note")
			yield { type: "call", id, name: "note", arguments: { text } };
		else if (last?.role === "user" && verb === "password") {
			yield { type: "call", id, name: "ask_user", arguments: { type: "password", label: "The key?" } };
		} else if (last?.role === "user" && verb === "review") {
			const requested = { reason: "it cannot be taken back", content: "1. drain the pond" };
			yield { type: "call", id, name: "request_review", arguments: requested };
		} else {
			yield { type: "text", text: verb === "tell" ? words.repeat(12) : `Said of ${text.length} characters.` };
			yield this.#end(request, "end_turn");
			return;
		}
		yield this.#end(request, "tool_use");
	}

	#end(request: ModelRequest, stop: "end_turn" | "tool_use"): ModelEvent {
		// The usage has one input token per four characters of the request.
		const characters = JSON.stringify([request.system, request.messages, request.tools]).length;
		return {
			type: "end",
			stop,
			model: "fixture",
			usage: { ...usage, inputTokens: Math.ceil(characters / 4) },
		};
	}
}

function textOf({ content }: Message): string {
	return content.map((block) => ("text" in block ? block.text : "")).join("");
}

function aborted(signal: AbortSignal): Promise<never> {
	return new Promise((_, reject) => {
		const stop = (): void => reject(new ParleyError("stopped", { code: "cancelled" }));
		if (signal.aborted) stop();
		else signal.addEventListener("abort", stop, { once: true });
	});
}

const note: RuntimeOptions["tools"][number] = {
	name: "note",
	description: "Keeps a note.",
	parameters: () => z.record(z.string(), z.unknown()),
	effect: "effectful",
	async plan() {
		return { label: "keep a note", classes: ["write"], preview: "", binding: {}, notes: [] };
	},
	async run(args) {
		return { text: `noted ${JSON.stringify(args)}`, failed: false };
	},
};

/** Returns the runtime options for making and for opening fixtures. */
export function fixtureParts() {
	const limits = {
		contextWindow: 5_000,
		maxOutput: 500,
		reasoning: "none",
		sampling: true,
		images: false,
	} as const;
	const prices = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
	return {
		model: new FixtureModel(),
		table: new ModelTable([{ id: "fixture", provider: "fixture", ...limits, prices }]),
		tools: [note, ...builtinTools().filter(({ name }) => name === "ask_user")],
		// Sessions store their working directory, so it must exist on every machine.
		roots: [tmpdir()],
	};
}
