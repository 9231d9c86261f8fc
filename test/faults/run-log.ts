import type { SessionEvent } from "@parley/core";
import { operator } from "@parley/core";
import type { TestRuntime } from "@parley/core/testing";
import { Watch } from "../watch.ts";

type AnyEvent = SessionEvent["event"];
type EventOf<Type extends AnyEvent["type"]> = Extract<AnyEvent, { type: Type }>;

export class RunLog {
	readonly events: AnyEvent[] = [];
	readonly #watch = new Watch();
	#seq = 0;
	#speaking = false;
	#fault = "";

	static async join({ runtime }: TestRuntime, sessionId: string): Promise<RunLog> {
		const log = new RunLog();
		const deliver = (event: SessionEvent): void => log.#receive(event);
		const following = { afterSeq: 0, deliver, drained: () => Promise.resolve() };
		const follower = await runtime.follow(operator, sessionId, following);
		await follower.begin();
		return log;
	}

	clear(): void {
		this.events.length = 0;
	}

	all<Type extends AnyEvent["type"]>(type: Type): EventOf<Type>[] {
		// The cast is safe because the filter compares the type.
		return this.events.filter((event) => event.type === type) as EventOf<Type>[];
	}

	/** Resolves with the event of this type and number. The numbers of each type start at 1. */
	async the<Type extends AnyEvent["type"]>(type: Type, number = 1): Promise<EventOf<Type>> {
		await this.until(`${type} ${number} arrives`, () => this.all(type).length >= number);
		const event = this.all(type)[number - 1];
		if (!event) throw new Error(`there is no ${type} ${number}`);
		return event;
	}

	until(condition: string, isTrue: () => boolean): Promise<void> {
		return this.#watch.until(condition, isTrue);
	}

	/** Returns the streamed texts, one per `text.started` event. */
	get texts(): string[] {
		const texts: string[] = [];
		for (const event of this.events) {
			if (event.type === "text.started") texts.push("");
			if (event.type === "text.delta") texts.push((texts.pop() ?? "") + event.text);
		}
		return texts;
	}

	/**
	 * Throws after a gap in the sequence numbers, a text without an end, a text within another text, or a delta outside
	 * of a text.
	 */
	check(): void {
		if (this.#fault !== "") throw new Error(this.#fault);
		if (this.#speaking) throw new Error("a text has no end");
	}

	#receive({ transient, seq, event }: SessionEvent): void {
		if (!transient && seq !== ++this.#seq) this.#fault ||= `${event.type} has seq ${seq}, not ${this.#seq}`;
		if (event.type === "text.started" && this.#speaking) this.#fault ||= "a text begins within another";
		if (event.type === "text.delta" && !this.#speaking) this.#fault ||= "a piece of no text";
		if (event.type === "text.started") this.#speaking = true;
		if (event.type === "text.ended") this.#speaking = false;
		this.events.push(event);
		this.#watch.notify();
	}
}
