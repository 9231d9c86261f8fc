import type { Clock, Timer } from "@parley/base";
import type { OzzieEvent, Progress } from "@parley/protocol";
import { oneLine } from "../conversation/vocabulary/plain.ts";
import type { Outbox } from "../outbox/outbox.ts";
import { answerTexts } from "../texts/answers.ts";
import { liveTexts } from "../texts/live.ts";

/**
 * Milliseconds between two indicators. Discord shows one for ten seconds:
 * https://docs.discord.com/developers/resources/channel#trigger-typing-indicator
 */
const everyMs = 8000;
/** Delay of the first indicator in milliseconds. A faster answer shows no indicator. */
const firstMs = 400;
/** Minimum time in milliseconds between two descriptions of the current step. */
const wordsMs = 3000;

interface TypingParts {
	readonly outbox: Pick<Outbox, "typing" | "suspended">;
	readonly clock: Clock;
	readonly conversation: string;
}

/**
 * Shows in one conversation that the agent is working or is waiting for a person. While the agent works, the
 * current step is also shown. Stops when the run ends.
 */
export class Typing {
	readonly #parts: TypingParts;
	#run: string | undefined;
	#waits = false;
	#doing = "";
	#shownAt = Number.NEGATIVE_INFINITY;
	#timer: Timer | undefined;

	constructor(parts: TypingParts) {
		this.#parts = parts;
	}

	/** Sets the active run, and whether it waits for a person. */
	show(run: string | undefined, waits = false): void {
		if (run === this.#run && waits === this.#waits) return;
		this.#run = run;
		this.#waits = waits;
		this.#doing = "";
		this.#timer?.cancel();
		if (run === undefined) return;
		this.#shownAt = Number.NEGATIVE_INFINITY;
		this.#timer = this.#parts.clock.after(firstMs, this.#repeat);
	}

	/** Sets the description of the current step. `words` is empty if there is no step. */
	does(words: string): void {
		const { clock } = this.#parts;
		if (this.#run === undefined || words === this.#doing) return;
		this.#doing = words;
		// The first indicator, which is not sent yet, includes the description.
		if (this.#shownAt === Number.NEGATIVE_INFINITY) return;
		this.#timer?.cancel();
		this.#timer = clock.after(Math.max(0, this.#shownAt + wordsMs - clock.monotonic()), this.#repeat);
	}

	readonly #repeat = (): void => {
		const { outbox, clock, conversation } = this.#parts;
		this.#shownAt = clock.monotonic();
		// Neither promise rejects. A refusal of the platform is not retried.
		void (this.#waits ? outbox.suspended(conversation) : outbox.typing(conversation, this.#doing));
		this.#timer = clock.after(everyMs, this.#repeat);
	};
}

const maxName = 60;

/** Tools that have a path as the subject of each call. All members of the room may see the file name. */
const fileTools: ReadonlySet<string> = new Set(["write_file", "edit_file"]);

/**
 * Returns a description of the current step after an event; see `progressWords`. `progress` is the progress of the
 * model after the event.
 */
export function stepWords({ event, payload }: OzzieEvent, progress: Progress | undefined): string {
	if (event === "assistant.stream" && payload.phase !== "end") return liveTexts.writing;
	if (event !== "tool.call" || payload.status !== "started") return progressWords(progress);
	return answerTexts.activity.running({ tool: oneLine(payload.name, maxName) });
}

/**
 * Returns a description of the current step, as text after the agent's name: "is writing notes.md…". Returns an empty
 * text without a step. Thoughts, commands and texts are omitted, because all members of the room see the description.
 */
export function progressWords(progress: Progress | undefined): string {
	if (progress === undefined) return "";
	const { activity } = answerTexts;
	if (progress.type === "thinking") return activity.thinking;
	const { name, subject } = progress;
	if (!fileTools.has(name)) return activity.preparing({ tool: oneLine(name, maxName) });
	const file = subject?.split(/[\\/]/).at(-1) ?? "";
	return file === "" ? activity.writingFile : activity.writing({ file: oneLine(file, maxName) });
}
