/** Text to show. `text` continues the shown text, unless the reply has started again with other text. */
export interface Shown {
	readonly text: string;
	readonly restarted: boolean;
}

const nothing: Shown = { text: "", restarted: false };

/**
 * Text of the replies of one run, for output that cannot be changed after printing. If a reply is streamed
 * again after a lost connection, the text continues at its last position. `finish` adds missed parts. Text is
 * shown again only if the reply starts again with other text.
 */
export class ReplyText {
	/** Shown text of the current reply. */
	#shown = "";
	/** Text that has arrived since the reply started again. Undefined while all text is new. */
	#repeated: string | undefined;
	#ended = true;
	/** Shown text of all replies of the run, without dropped replies. */
	#run = "";

	/** Starts a reply, or starts the same reply again. */
	start(): void {
		if (this.#ended) this.#shown = "";
		this.#repeated = this.#shown === "" ? undefined : "";
		this.#ended = false;
	}

	delta(text: string): Shown {
		if (this.#repeated === undefined) return this.#add(text);
		this.#repeated += text;
		return this.#catchUp(this.#repeated);
	}

	end(): void {
		this.#ended = true;
	}

	/** Removes the interrupted reply from the text of the run. */
	drop(): void {
		this.#run = this.#run.slice(0, this.#run.length - this.#shown.length);
		this.#shown = "";
		this.#repeated = undefined;
		this.#ended = true;
	}

	/**
	 * Ends the run, and returns missed text. `content` is the complete text of its last reply, or of all replies if
	 * the last reply has no text.
	 */
	finish(content: string): Shown {
		const known = ["", withoutBlanks(this.#shown), withoutBlanks(this.#run)];
		if (this.#ended) this.#shown = "";
		const shown = known.includes(withoutBlanks(content)) ? nothing : this.#catchUp(content);
		this.#shown = "";
		this.#repeated = undefined;
		this.#run = "";
		this.#ended = true;
		return shown;
	}

	/** Returns the missed end of a complete reply, or the complete reply if it contradicts the shown text. */
	#catchUp(reply: string): Shown {
		const before = this.#shown;
		if (before.startsWith(reply)) return nothing;
		this.#repeated = undefined;
		if (reply.startsWith(before)) return this.#add(reply.slice(before.length));
		this.#shown = "";
		return { ...this.#add(reply), restarted: true };
	}

	#add(text: string): Shown {
		this.#shown += text;
		this.#run += text;
		return { text, restarted: false };
	}
}

function withoutBlanks(text: string): string {
	return text.replaceAll(/\s/g, "");
}
