import { definedItems, formatUsd, ParleyError } from "@parley/base";
import type { Client, OzzieEvent } from "@parley/protocol";
import type { SessionFacts } from "../client/find-session.ts";
import { visibleLine } from "../text/visible.ts";
import { widthOf } from "../text/wrap.ts";
import { statusTexts } from "../texts/chat/live.ts";
import type { ChatObserver } from "./chat-options.ts";

/** Facts about a session. A fact is undefined until it is known. */
interface Facts {
	readonly model?: string | undefined;
	/** Number of tokens in the last request. */
	readonly context?: number | undefined;
	readonly costUsd?: number | undefined;
	readonly directory?: string | undefined;
	readonly sandbox?: string | undefined;
}

export interface StatusLineParts {
	readonly client: Client;
	readonly home: string | undefined;
	find(sessionId: string): Promise<SessionFacts>;
	/** Resolves with the mode of the sandbox, or undefined if the gateway does not report it. */
	readSandbox(): Promise<string | undefined>;
	changed(): void;
}

/** The row that shows the model, the used context, the cost, the sandbox and the directory of a session. */
export class StatusLine implements ChatObserver {
	readonly #parts: StatusLineParts;
	#facts: Facts = {};
	#windows = new Map<string, number>();
	#sessionId = "";

	constructor(parts: StatusLineParts) {
		this.#parts = parts;
	}

	session(id: string): void {
		this.#sessionId = id;
		this.#facts = {};
		// If the facts cannot be read, the row omits them.
		void this.#read(id).catch((reason: unknown) => ParleyError.from(reason));
	}

	event(event: OzzieEvent): void {
		if (event.event === "usage.updated") this.#set({ costUsd: event.payload.session.cost_usd });
		if (event.event !== "internal.llm.call" || event.payload.run_id === "") return;
		const { phase, model, tokens_input: context } = event.payload;
		if (phase === "start") this.#set({ model });
		else if (context > 0) this.#set({ context });
	}

	model(model: string): void {
		this.#set({ model, context: undefined });
	}

	/** Returns the facts that fit in a row of fewer than `columns` columns. */
	words(columns: number): string {
		const { model, context, costUsd = 0, directory, sandbox } = this.#facts;
		const window = model === undefined ? undefined : this.#windows.get(model);
		const parts = definedItems([
			model === undefined ? undefined : visibleLine(model),
			context === undefined || window === undefined
				? undefined
				: statusTexts.context({ percent: Math.round((100 * context) / window) }),
			costUsd === 0 ? undefined : formatUsd(costUsd),
			sandbox === undefined ? undefined : statusTexts.sandbox({ state: visibleLine(sandbox) }),
			directory === undefined ? undefined : visibleLine(this.#short(directory)),
		]);
		let row = "";
		for (const part of parts) {
			const longer = row === "" ? part : `${row} · ${part}`;
			if (widthOf(longer) < columns) row = longer;
		}
		return row;
	}

	async #read(id: string): Promise<void> {
		const { client, find, readSandbox } = this.#parts;
		const [{ models, default: usual }, session, sandbox] = await Promise.all([
			client.request("list_models", {}),
			find(id),
			readSandbox(),
		]);
		if (id !== this.#sessionId) return;
		this.#windows = new Map(models.map(({ name, context_window }) => [name, context_window]));
		const { model, costUsd = session.cost_usd } = this.#facts;
		const isUsual = session.profile === "default" && session.message_count === 0;
		this.#set({
			model: model ?? (isUsual ? usual : undefined),
			costUsd,
			directory: session.root_dir,
			sandbox,
		});
	}

	#set(facts: Facts): void {
		this.#facts = { ...this.#facts, ...facts };
		this.#parts.changed();
	}

	#short(directory: string): string {
		const { home } = this.#parts;
		if (home === undefined || home === "") return directory;
		if (directory === home) return "~";
		return directory.startsWith(`${home}/`) ? `~${directory.slice(home.length)}` : directory;
	}
}
