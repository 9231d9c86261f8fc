import type { Readable, Writable } from "node:stream";
import type { Clock, Logger } from "@parley/base";
import { LineWriter } from "../../transport/line-writer.ts";
import { type Line, LineReader } from "../../transport/ndjson.ts";
import type { Agent } from "./agent.ts";
import { encodeFrame } from "./codec.ts";
import { type ComingAgent, Connection } from "./connection.ts";
import type { Frame } from "./schema.ts";

/** Of one line, either way. */
const mostLineBytes = 16 * 1024 * 1024;

/** How the process is to end: https://man.freebsd.org/cgi/man.cgi?query=sysexits */
const exitCodes = { ended: 0, refused: 1, unread: 74, unreadable: 74 } as const;

/** What whoever looks for the reason of such an end finds in the log. */
const farewells = {
	refused: "the client was not let in: its first line has to be a hello with the token",
	unread: "the client is gone, or does not read what it is told: what it asked for was ended",
} as const;

const preludes: ReadonlySet<Frame["type"]> = new Set(["user_message", "turn_start", "assistant_start"]);

/** What precedes a word, a call or an end, which is what anybody waits for. */
function isPrelude(frame: Frame): boolean {
	return frame.type === "response" ? frame.command === "prompt" && frame.success : preludes.has(frame.type);
}

export interface ServeOptions {
	/** One that is to come is opened behind what the client has sent already. */
	readonly agent: Agent | ComingAgent;
	readonly input: Readable;
	readonly output: Writable;
	readonly clock: Clock;
	readonly log: Logger;
	readonly version: string;
	readonly token: string | undefined;
	readonly approvals: boolean;
	/** Aborted where the process is asked to end. */
	readonly stop: AbortSignal;
}

/**
 * Serves the client behind two streams until its lines end and all that it asked for is done, and returns the exit code:
 * 1 where it may not stay, 74 where it does not read any more or cannot be read. Once `stop` is aborted everything is ended first.
 * Rejects where an agent to come cannot be opened.
 */
export async function serveZot(options: ServeOptions): Promise<number> {
	const { agent, input, clock, log, version, token, approvals, stop } = options;
	const end = Promise.withResolvers<keyof typeof exitCodes>();
	const out = new LineWriter({
		...{ output: options.output, clock },
		// A client that goes when it has all that it asked for is no fault: many end with the last `done`.
		onUnread: () => end.resolve(out.lost || connection.busy ? "unread" : "ended"),
	});
	let before = "";
	/** Whether what is being read has begun a prompt: what asks its model is on its way before anybody is told. */
	let begins = false;
	const connection = new Connection({
		...{ agent, log, version, token, approvals },
		send: (frame) => {
			const line = encodeFrame(frame);
			if (isPrelude(frame)) out.writeAtRest(line);
			else out.write(line);
			// The first word of a reply does not wait for what else is done in its tick.
			if (frame.type === "text_delta" && before === "assistant_start") out.flush();
			before = frame.type;
			begins ||= frame.type === "response" && frame.command === "prompt";
		},
		drained: () => out.drained(),
	});
	const lines = new LineReader(mostLineBytes);
	/** Whether what comes is still heard: who is asked to end begins nothing more. */
	let hears = true;
	const take = (line: Line): void => {
		if (!hears || connection.take(line)) return;
		hears = false;
		end.resolve("refused");
	};
	/** When the client has read what waits for it, and nothing waits for the agent. */
	const goOn = (): void => {
		void out.drained().then(() => {
			if (!connection.waits) input.resume();
		});
	};
	const read = (chunk: Buffer): void => {
		begins = false;
		for (const line of lines.read(chunk)) take(line);
		if (!begins) out.flush();
		if (!out.full && !connection.waits) return;
		input.pause();
		goOn();
	};
	input.on("data", read);
	input.on("error", (error) => {
		log.error("the input cannot be read: what was asked for is ended", { error });
		hears = false;
		end.resolve("unreadable");
	});
	input.once("end", () => {
		const last = lines.end();
		if (last) take(last);
		void connection.end().then(() => end.resolve("ended"), end.reject);
	});
	stop.addEventListener("abort", () => {
		hears = false;
		void connection.terminate("stopped").then(() => end.resolve("ended"), end.reject);
	});
	// To load it keeps the process from everything else: what has come already is read before, which is in the next turn.
	setImmediate(() =>
		setImmediate(() => {
			if (hears || connection.waits) void connection.open().then(goOn, end.reject);
		}),
	);
	const how = await end.promise.finally(() => {
		hears = false;
		out.flush();
		input.off("data", read);
		input.destroy();
	});
	if (how !== "ended") await connection.terminate("lost");
	const ended = (await out.end()) ? how : "unread";
	if (ended === "refused" || ended === "unread") log.warn(farewells[ended]);
	return exitCodes[ended];
}
