import type { AssistantStreamPayload, OzzieEvent, ToolCallPayload } from "@parley/protocol";
import type { Io } from "../io.ts";
import { budgetReachedRows, compactedRows, figureRows, retryWords } from "../model-rows.ts";
import { ReplyText, type Shown } from "../reply-text.ts";
import type { Figures } from "../run-figures.ts";
import { createStyles, type Look, wantsColours } from "../text/styles.ts";
import { visibleText } from "../text/visible.ts";
import { toolEndRows, toolStartRow } from "../tool-rows.ts";

/** Writes a run for people and pipes: the answer's text to stdout, all else to stderr. */
export class AnswerOutput {
	readonly #io: Io;
	readonly #look: Look;
	readonly #reply = new ReplyText();
	#isInLine = false;

	constructor(io: Io) {
		this.#io = io;
		this.#look = errorLook(io);
	}

	/** Takes in an event of the run, and at its end its figures. */
	write(event: OzzieEvent, figures?: Figures): void {
		if (event.event === "assistant.stream") this.#streamed(event.payload);
		if (event.event === "tool.call") this.#called(event.payload);
		if (event.event === "assistant.message") this.#ended(event.payload.content, figures);
		this.#note(event);
	}

	/** What happens around the model. */
	#note(event: OzzieEvent): void {
		const look = this.#look;
		if (event.event === "run.retrying") this.#tell([look.styles.dim(retryWords(event.payload))]);
		if (event.event === "budget.reached") this.#tell(budgetReachedRows(event.payload, look));
		if (event.event === "context.compacted") this.#tell(compactedRows(event.payload, look));
	}

	#ended(content: string, figures: Figures | undefined): void {
		this.#show(this.#reply.finish(content));
		this.#tell(figures ? figureRows(figures, this.#look) : []);
	}

	#tell(rows: readonly string[]): void {
		this.#endLine();
		this.#rows(rows);
	}

	#called(call: ToolCallPayload): void {
		const started = call.status === "started";
		this.#reply.end();
		this.#endLine();
		this.#rows(started ? [toolStartRow(call, this.#look)] : toolEndRows(call, true, this.#look));
	}

	#streamed({ phase, content }: AssistantStreamPayload): void {
		if (phase === "start") this.#reply.start();
		if (phase === "delta") this.#show(this.#reply.delta(content));
		if (phase === "end") {
			this.#reply.end();
			this.#endLine();
		}
	}

	#show({ text, restarted }: Shown): void {
		if (text === "") return;
		if (restarted) {
			this.#endLine();
			this.#rows([this.#look.styles.dim("the reply begins again")]);
		}
		// A file gets the text as it is, a terminal what is safe for it.
		this.#io.stdout.write(this.#io.stdout.isTTY ? visibleText(text) : text);
		this.#isInLine = !text.endsWith("\n");
	}

	#endLine(): void {
		if (this.#isInLine) this.#io.stdout.write("\n");
		this.#isInLine = false;
	}

	#rows(rows: readonly string[]): void {
		this.#io.stderr.write(rows.map((row) => `${row}\n`).join(""));
	}
}

/** How rows on stderr look. */
export function errorLook({ stderr, environment }: Io): Look {
	const columns = stderr.isTTY ? stderr.columns : Number.POSITIVE_INFINITY;
	return { columns, styles: createStyles(wantsColours(stderr, environment)) };
}
