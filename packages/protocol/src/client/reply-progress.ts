import { parseJson } from "@parley/base";
import type { EventPayloads, OzzieEvent } from "../events.ts";

/** What a model does while its reply has no text yet. */
export type Progress =
	/** `text` is the end of what it thinks; "" if the provider does not show it. */
	| { readonly type: "thinking"; readonly text: string }
	/** `subject` is the file, command or address of the call, once it is written. */
	| {
			readonly type: "writing";
			readonly name: string;
			readonly subject: string | undefined;
			/** Characters of the arguments so far. */
			readonly length: number;
	  };

/** Characters of thinking that are kept. */
const mostThinking = 1_000;
/** Characters of arguments in which the subject is looked for. */
const mostSearched = 2_000;

/** Follows the events of a session: what its model does at the moment, for a status line. */
export class ReplyProgress {
	#now: Progress | undefined;
	#call = { id: "", content: "" };

	/** Undefined while the model waits, speaks or is not called. */
	get now(): Progress | undefined {
		return this.#now;
	}

	take(event: OzzieEvent): void {
		switch (event.event) {
			case "assistant.started":
				this.#now = { type: "thinking", text: "" };
				break;
			case "assistant.thinking":
				this.#think(event.payload.content);
				break;
			case "tool.arguments":
				this.#write(event.payload);
				break;
			case "assistant.stream":
			case "assistant.message":
			case "internal.llm.call":
			case "run.retrying":
			case "tool.call":
				this.#now = undefined;
				break;
			default:
		}
	}

	#think(content: string): void {
		const before = this.#now?.type === "thinking" ? this.#now.text : "";
		this.#now = { type: "thinking", text: (before + content).slice(-mostThinking) };
	}

	#write({ phase, call_id: id, name, content, offset }: EventPayloads["tool.arguments"]): void {
		if (phase === "end") {
			this.#now = undefined;
			return;
		}
		if (this.#call.id !== id) this.#call = { id, content: "" };
		// Behind a gap nothing can be read.
		const goesOn = offset === this.#call.content.length && offset < mostSearched;
		if (goesOn) this.#call.content += content;
		const subject = subjectOf(this.#call.content);
		this.#now = { type: "writing", name, subject, length: offset + content.length };
	}
}

const named = /"(?:path|file_path|cmd|command|url|pattern|query)"\s*:\s*("(?:[^"\\]|\\.)*")/s;

/** The first line of the argument that says what a call is about, in arguments that need not be whole. */
function subjectOf(json: string): string | undefined {
	const written = named.exec(json)?.[1];
	if (written === undefined) return undefined;
	try {
		const [line = ""] = String(parseJson(written)).split("\n");
		return line;
	} catch {
		// Not JSON: the call will be refused for it.
		return undefined;
	}
}
