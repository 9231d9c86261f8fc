import { ParleyError } from "@parley/base";
import type { Model, ModelEvent, ModelRequest } from "../vocabulary/model.ts";
import { ScriptedModel, type ScriptedReply } from "./scripted-model.ts";

/** Model with a script for each conversation, by the first line of its first message, which is the title of a task. */
export class TaskScript implements Model {
	readonly provider = "scripted";
	readonly defaultModel = "scripted";
	readonly #scripts: ReadonlyMap<string, ScriptedModel>;

	constructor(scripts: Readonly<Record<string, readonly ScriptedReply[]>>) {
		const models = Object.entries(scripts).map(
			([title, replies]) => [title, new ScriptedModel(...replies)] as const,
		);
		this.#scripts = new Map(models);
	}

	requests(title: string): readonly ModelRequest[] {
		return this.#of(title).requests;
	}

	stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent> {
		const first = request.messages[0]?.content.find((block) => block.type === "text")?.text ?? "";
		return this.#of(first.split("\n", 1)[0] ?? "").stream(request, signal);
	}

	#of(title: string): ScriptedModel {
		const script = this.#scripts.get(title);
		if (script) return script;
		throw new ParleyError(`there is no script for ${JSON.stringify(title)}`, { code: "failed_precondition" });
	}
}
