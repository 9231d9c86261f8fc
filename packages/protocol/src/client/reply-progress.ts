import { parseJson } from "@parley/base/portable";
import type { EventPayloads, OzzieEvent } from "../events.ts";

/** Activity of a model other than reply text: thinking, or writing a tool call. */
export type Progress =
	/**
	 * `text` is the end of the thinking so far. `text` is "" before the first text, and if the provider hides the
	 * thinking.
	 */
	| { readonly type: "thinking"; readonly text: string }
	/** `subject` is the file, command, address or search text of the call. Undefined if the subject is unknown. */
	| {
			readonly type: "writing";
			readonly name: string;
			readonly subject: string | undefined;
			/** Number of characters that the model has written of the arguments so far. */
			readonly length: number;
	  };

/** Maximum characters of the displayed thinking. */
const maxThinking = 1_000;
/** Maximum characters, from the start of the arguments, that are searched for the subject. */
const maxSearched = 2_000;

/** Progress of a reply, for a status line. Follows the events of a session and determines the activity of the model. */
export class ReplyProgress {
	#now: Progress | undefined;
	#call = { id: "", content: "" };

	/** Returns the current activity, or undefined at other times, for example while the model writes its reply. */
	get now(): Progress | undefined {
		return this.#now;
	}

	receive(event: OzzieEvent): void {
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
		this.#now = { type: "thinking", text: (before + content).slice(-maxThinking) };
	}

	#write({ phase, call_id: id, name, content, offset }: EventPayloads["tool.arguments"]): void {
		if (phase === "end") {
			this.#now = undefined;
			return;
		}
		if (this.#call.id !== id) this.#call = { id, content: "" };
		// After a gap, the arguments cannot be read.
		const continues = offset === this.#call.content.length && offset < maxSearched;
		if (continues) this.#call.content += content;
		const subject = subjectOf(this.#call.content);
		this.#now = { type: "writing", name, subject, length: offset + content.length };
	}
}

const named = /"(?:path|file_path|cmd|command|url|pattern|query)"\s*:\s*("(?:[^"\\]|\\.)*")/s;

/**
 * Returns the first line of the argument that identifies the call. Returns undefined if `json` does not contain the
 * complete argument. The other arguments may be incomplete.
 */
function subjectOf(json: string): string | undefined {
	const written = named.exec(json)?.[1];
	if (written === undefined) return undefined;
	try {
		const [line = ""] = String(parseJson(written)).split("\n");
		return line;
	} catch {
		// The gateway refuses arguments that are not JSON, so no error is reported here.
		return undefined;
	}
}
