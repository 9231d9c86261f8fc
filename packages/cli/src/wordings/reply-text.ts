/** What to show next: `text` continues what was shown, unless the reply began anew in other words. */
export interface Shown {
	readonly text: string;
	readonly restarted: boolean;
}

const nothing: Shown = { text: "", restarted: false };

/**
 * The replies of one run as they are shown, however often the connection was lost meanwhile: a reply that is streamed
 * again continues where it was, and the whole text at the end adds what was missed. Nothing is shown twice.
 */
export class ReplyText {
	/** Of the current reply. */
	#shown = "";
	/** Text since the reply started again; undefined while all text is new. */
	#repeated: string | undefined;
	#ended = true;
	/** All that was shown in this run. */
	#run = "";

	/** A reply begins, perhaps again. */
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

	/** The reply has ended, or something else has happened that no reply is interrupted for. */
	end(): void {
		this.#ended = true;
	}

	/** Removes the last reply from the text of the run, because it broke off and is made again. */
	drop(): void {
		this.#run = this.#run.slice(0, this.#run.length - this.#shown.length);
		this.#shown = "";
		this.#repeated = undefined;
		this.#ended = true;
	}

	/** The run has ended, and this is the whole text of its last reply, or of all where the last one has none. */
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

	/** Takes the reply from its beginning and shows what was not shown of it. */
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
