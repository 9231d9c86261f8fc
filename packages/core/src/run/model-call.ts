import { ParleyError } from "@parley/base";
import type { AssistantMessage, CallBlock, TextBlock, ThinkingBlock } from "../message.ts";
import type { ModelEvent, ModelRequest } from "../model.ts";
import { noUsage, type Usage } from "../usage.ts";
import type { Run } from "./run.ts";
import { messagesOf } from "./transcript.ts";

/** One reply of a model: whole, or what there was of it when it broke off (`failure`). */
export interface Reply {
	readonly content: AssistantMessage["content"];
	readonly model: string;
	readonly usage: Usage;
	readonly failure: ParleyError | undefined;
}

/**
 * Calls the model once and lets its text out while it comes. A failure of the model is part of the reply; this throws
 * only where the request cannot be put together.
 */
export async function callModel(run: Run): Promise<Reply> {
	const request = await requestOf(run);
	const fold = new Fold(run);
	try {
		await run.session.deps.failpoints.reach("model-call");
		for await (const event of run.deps.model.stream(request, run.signal)) await fold.take(event);
		return fold.reply(fold.complete ? undefined : brokeOff());
	} catch (reason) {
		const error = ParleyError.from(reason);
		const { log } = run.session.deps;
		if (error.code === "internal") log.error("a model call failed", { runId: run.id, error: reason });
		return fold.reply(error);
	} finally {
		fold.close();
	}
}

/** What the model gets: the same bytes for the same steps, so that a provider can cache the prefix. */
async function requestOf(run: Run): Promise<ModelRequest> {
	return {
		model: run.deps.modelName,
		system: await run.deps.systemPrompt(run.session),
		messages: [...run.history, ...messagesOf(run.row.content, run.steps)],
		tools: run.deps.descriptions,
	};
}

function brokeOff(): ParleyError {
	return new ParleyError("the model's reply broke off", { code: "unavailable" });
}

type Block = TextBlock | ThinkingBlock | CallBlock;

/** Builds the reply from its events and passes the text on. */
class Fold {
	readonly #run: Run;
	readonly #blocks: Block[] = [];
	#speaking = false;
	#end: Extract<ModelEvent, { type: "end" }> | undefined;

	constructor(run: Run) {
		this.#run = run;
	}

	get complete(): boolean {
		return this.#end !== undefined;
	}

	async take(event: ModelEvent): Promise<void> {
		switch (event.type) {
			case "text":
				if (event.text !== "") await this.#text(event.text);
				return;
			case "thinking":
				this.#thinking(event);
				return;
			case "call":
				this.#blocks.push({ ...event, id: this.#unused(event.id) });
				return;
			case "end":
				this.#end = event;
		}
	}

	reply(failure: ParleyError | undefined): Reply {
		const whole = failure === undefined;
		return {
			// Calls of a reply that broke off are not trusted to be all, or to be meant.
			content: whole ? this.#blocks : this.#blocks.filter((block) => block.type === "text"),
			model: this.#end?.model ?? "",
			usage: this.#end?.usage ?? noUsage,
			failure,
		};
	}

	close(): void {
		if (this.#speaking) this.#run.session.outlet.pass({ type: "text.ended", runId: this.#run.id });
		this.#speaking = false;
	}

	async #text(text: string): Promise<void> {
		const { id: runId, session } = this.#run;
		if (!this.#speaking) session.outlet.pass({ type: "text.started", runId });
		this.#speaking = true;
		session.outlet.pass({ type: "text.delta", runId, text });
		const last = this.#blocks.at(-1);
		if (last?.type === "text")
			this.#blocks[this.#blocks.length - 1] = { type: "text", text: last.text + text };
		else this.#blocks.push({ type: "text", text });
		await session.deps.failpoints.reach("model-streaming");
	}

	/** Approvals and results belong to a call by its id: one that a provider has used before gets another. */
	#unused(id: string): string {
		const { history, steps, session } = this.#run;
		const replies = steps.flatMap((step) => (step.kind === "reply" ? step.content : []));
		const before = history.flatMap((message) => (message.role === "assistant" ? message.content : []));
		const used = [...before, ...replies, ...this.#blocks].some(
			(block) => block.type === "call" && block.id === id,
		);
		return used ? session.deps.ids.create("call") : id;
	}

	#thinking(event: Extract<ModelEvent, { type: "thinking" }>): void {
		const last = this.#blocks.at(-1);
		if (last?.type !== "thinking" || last.signature !== undefined) {
			this.#blocks.push({
				type: "thinking",
				text: event.text,
				...(event.signature && { signature: event.signature }),
			});
			return;
		}
		this.#blocks[this.#blocks.length - 1] = {
			type: "thinking",
			text: last.text + event.text,
			...(event.signature && { signature: event.signature }),
		};
	}
}
