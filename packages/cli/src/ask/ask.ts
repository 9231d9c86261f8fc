import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { defined, ParleyError, systemClock } from "@parley/base";
import {
	type AssistantMessagePayload,
	type Client,
	isOzzieEvent,
	type MethodResult,
	type OpenSession,
	type OzzieEvent,
} from "@parley/protocol";
import { connect } from "../client/connect.ts";
import { type AddressFlags, findGateway, type GatewayAddress } from "../client/gateway-address.ts";
import { lastSession, openSession } from "../client/open-session.ts";
import { Interrupt, interruptedCode } from "../command-line/interrupt.ts";
import type { Io } from "../command-line/io.ts";
import { errorFormat } from "../command-line/output.ts";
import type { SessionFlags } from "../command-line/session-flags.ts";
import { visibleLine, visibleText } from "../text/visible.ts";
import { askTexts } from "../texts/ask.ts";
import { connectionWords, otherDirectoryWords } from "../wordings/connection-words.ts";
import { type RunMetrics, RunMetricsCollector } from "../wordings/model-rows.ts";
import { AnswerOutput } from "./answer-output.ts";
import { firstByteMs, readPipedInput } from "./piped-input.ts";
import { Questions } from "./questions.ts";
import { uploadFile } from "./upload-file.ts";

/** Sends one message, prints the answer, and returns the exit code. */
export async function ask(words: string, flags: AskFlags, io: Io): Promise<number> {
	const typed = words === "-" ? await text(io.stdin) : words;
	if (typed.trim() === "") throw new ParleyError(askTexts.emptyMessage, { code: "invalid_argument" });
	const files = (flags.file ?? []).map((path) => resolve(io.cwd, path));
	await checkFiles(files);
	const address = await findGateway(flags, io);
	const { dim } = errorFormat(io).styles;
	const note = (line: string): void => {
		if (!flags.print) io.stderr.write(`${dim(line)}\n`);
	};
	const client = connect(address, (state) => {
		if (state === "lost") note(connectionWords.lost);
	});
	const rootDir = address.isLocal ? io.cwd : undefined;
	try {
		const content = words === "-" ? typed : await withPipedInput(words, io);
		const session = await openSession(client, {
			sessionId: flags.continue ? await lastSession(client, rootDir) : flags.session,
			profile: flags.profile,
			model: flags.model,
			rootDir,
			onOtherDirectory: (reason) => {
				if (flags.yes) throw outsideRoots(reason, io.cwd);
				io.stderr.write(`${otherDirectoryWords(io.cwd, reason)}\n`);
			},
		});
		note(askTexts.session({ id: visibleLine(session.id) }));
		const attachments = await uploadFiles(address, files);
		const asking = new Ask({ io, client, session, flags, hasPerson: !flags.print && hasPerson(words, io) });
		return await asking.run(
			defined({ content, attachments: attachments.length > 0 ? attachments : undefined }),
		);
	} finally {
		await client.close();
	}
}

/**
 * Exit code of a successful run in which a question was denied or declined because no person could answer.
 */
const unansweredCode = 3;

interface Ended {
	readonly answer: AssistantMessagePayload;
	readonly metrics: RunMetrics | undefined;
}

interface AskOptions {
	readonly io: Io;
	readonly client: Client;
	readonly session: OpenSession;
	readonly flags: AskFlags;
	readonly hasPerson: boolean;
}

class Ask {
	readonly #options: AskOptions;
	readonly #questions: Questions;
	readonly #interrupt: Interrupt;
	readonly #failure = Promise.withResolvers<never>();

	constructor(options: AskOptions) {
		const { io, client, session, flags, hasPerson } = options;
		const sessionId = session.id;
		const onFailure = this.#failure.reject;
		this.#options = options;
		// A rejection before the run is awaited would otherwise end the process.
		this.#failure.promise.catch(() => undefined);
		this.#interrupt = new Interrupt({
			onFailure,
			cancel: () => client.request("cancel_turn", {}, { sessionId }),
			print: (words) => io.stderr.write(`parley: ${words}\n`),
		});
		const onInterrupt = (): void => this.#interrupt.press();
		this.#questions = new Questions({
			io,
			client,
			sessionId,
			hasPerson,
			onInterrupt,
			onFailure,
			acceptsAll: flags.yes === true,
		});
	}

	async run(message: { content: string; attachments?: string[] }): Promise<number> {
		const { client, session, flags } = this.#options;
		const to = { sessionId: session.id };
		using _ = this.#interrupt.listen();
		if (flags.yes) await client.request("accept_all_tools", {}, to);
		const run = new OwnRun(await client.request("send_message", message, to));
		this.#printWaiting(run.before);
		const ended = await Promise.race([this.#follow(run), this.#failure.promise]);
		return this.#exitCode(ended);
	}

	async #follow(run: OwnRun): Promise<Ended> {
		const { io, session, flags } = this.#options;
		const format = formatOf(flags);
		const output = format === "text" && !flags.print ? new AnswerOutput(io) : undefined;
		const gathered = new RunMetricsCollector();
		try {
			for await (const frame of session.events()) {
				if (format === "stream") io.stdout.write(`${JSON.stringify(frame)}\n`);
				if (!isOzzieEvent(frame) || !run.owns(frame)) continue;
				const metrics = gathered.receive(frame);
				this.#questions.receive(frame);
				output?.write(frame, metrics);
				if (frame.event === "assistant.message") return { answer: frame.payload, metrics };
			}
		} finally {
			output?.close();
		}
		throw new ParleyError(askTexts.closedBeforeEnd, { code: "aborted" });
	}

	#exitCode({ answer: { content, error }, metrics }: Ended): number {
		const { io, session, flags } = this.#options;
		this.#questions.close();
		const { model = null, tokens: usage = null, costUsd: cost_usd = null } = metrics ?? {};
		const result = { session_id: session.id, content, error, model, usage, cost_usd };
		if (formatOf(flags) !== "text") io.stdout.write(`${JSON.stringify(result)}\n`);
		else if (flags.print && content !== "") io.stdout.write(`${printed(content, io)}\n`);
		if (error === "") return this.#questions.unanswered > 0 ? unansweredCode : 0;
		io.stderr.write(`parley: ${visibleLine(error)}\n`);
		return this.#interrupt.wasPressed ? interruptedCode : 1;
	}

	#printWaiting(before: number): void {
		if (before === 0 || this.#options.flags.print) return;
		const { io } = this.#options;
		io.stderr.write(`${errorFormat(io).styles.dim(askTexts.waiting({ before }))}\n`);
	}
}

async function withPipedInput(words: string, io: Io): Promise<string> {
	const input = await readPipedInput(io, systemClock);
	if (input === undefined) io.stderr.write(`${askTexts.noInput({ seconds: firstByteMs / 1000 })}\n`);
	return input ? `${words}\n\n${input}` : words;
}

function formatOf({ json, outputFormat }: AskFlags): "text" | "json" | "stream" {
	return json ? "stream" : (outputFormat ?? "text");
}

function printed(content: string, { stdout }: Io): string {
	return stdout.isTTY ? visibleText(content) : content;
}

function outsideRoots(reason: string, directory: string): ParleyError {
	return new ParleyError(askTexts.outsideRoots({ reason, directory }), { code: "failed_precondition" });
}

function hasPerson(words: string, { stdin, stderr, environment }: Io): boolean {
	// With `-`, the message is read from stdin, which then cannot provide answers.
	return words !== "-" && stdin.isTTY && stderr.isTTY && environment["TERM"] !== "dumb";
}

/**
 * Selects the events of one run from the events of a session. Runs are executed in the order of their
 * messages, and each run ends with one `assistant.message`. `queued_position` is the number of runs that end
 * before this run.
 */
export class OwnRun {
	readonly #runId: string;
	#before: number;
	#accepted = false;

	constructor({ run_id, queued_position = 0 }: MethodResult<"send_message">) {
		this.#runId = run_id;
		this.#before = queued_position;
	}

	/** Returns the number of runs that must still end before this run starts. */
	get before(): number {
		return this.#before;
	}

	/**
	 * Processes the next event. Returns whether the event belongs to the run. A queued run owns no events until the runs
	 * before it have ended.
	 */
	owns(event: OzzieEvent): boolean {
		if (event.event === "user.message" && event.payload.run_id === this.#runId) {
			this.#accepted = true;
			return this.#before === 0;
		}
		if (!this.#accepted) return false;
		if (this.#before === 0) return true;
		if (event.event === "assistant.message") this.#before -= 1;
		return false;
	}
}

/** Rejects with `invalid_argument` for the first path that does not lead to a regular file. */
async function checkFiles(paths: readonly string[]): Promise<void> {
	for (const path of paths) {
		const found = await stat(path).catch((cause: unknown) => {
			throw new ParleyError(askTexts.unreadableFile({ path }), { code: "invalid_argument", cause });
		});
		if (!found.isFile()) throw new ParleyError(askTexts.noFile({ path }), { code: "invalid_argument" });
	}
}

async function uploadFiles(address: GatewayAddress, paths: readonly string[]): Promise<string[]> {
	const ids: string[] = [];
	for (const path of paths) ids.push(await uploadFile(address, path));
	return ids;
}

export interface AskFlags extends AddressFlags, SessionFlags {
	readonly yes?: boolean;
	readonly json?: boolean;
	/** Whether to print only the answer and ask no questions. */
	readonly print?: boolean;
	readonly outputFormat?: "text" | "json" | "stream";
	readonly file?: readonly string[];
}
