import type { Readable, Writable } from "node:stream";
import type { Clock, Logger } from "@parley/base";
import { zotErrorTexts } from "../../texts/wires/zot.ts";
import { LineWriter } from "../../transport/line-writer.ts";
import { type Line, LineReader } from "../../transport/ndjson.ts";
import type { Agent } from "./agent.ts";
import { encodeFrame } from "./codec.ts";
import { ZotConnection } from "./connection.ts";

/** Maximum number of bytes of a line from the client. */
const maxLineBytes = 16 * 1024 * 1024;

/** Exit codes of the process: https://man.freebsd.org/cgi/man.cgi?query=sysexits */
const exitCodes = { ended: 0, refused: 1, unread: 74, unreadable: 74 } as const;

const endMessages = {
	refused: zotErrorTexts.clientRefused,
	unread: zotErrorTexts.clientDisconnected,
} as const;

export interface ServeOptions {
	readonly agent: Agent;
	readonly input: Readable;
	readonly output: Writable;
	readonly clock: Clock;
	readonly log: Logger;
	readonly version: string;
	readonly token: string | undefined;
	readonly approvals: boolean;
	/** Signal that aborts when the process must end. */
	readonly stop: AbortSignal;
}

/**
 * Serves one client over two streams, until the input has ended and all commands are done. An abort of `stop` ends
 * all commands. Resolves with the exit code:
 * - 0 for a normal end
 * - 1 for a client without the token
 * - 74 for a client that does not read or cannot be read
 */
export async function serveZot(options: ServeOptions): Promise<number> {
	const { agent, input, clock, log, version, token, approvals, stop } = options;
	const end = Promise.withResolvers<keyof typeof exitCodes>();
	const out = new LineWriter({
		output: options.output,
		clock,
		// Many clients close their end after the last `done`, which is a normal end.
		onUnread: () => end.resolve(out.lost || connection.busy ? "unread" : "ended"),
	});
	let before = "";
	const connection = new ZotConnection({
		agent,
		log,
		version,
		token,
		approvals,
		send: (frame) => {
			out.write(encodeFrame(frame));
			// The first text of a reply is sent at once, before the other work in this tick, for example the commit of a
			// short reply.
			if (frame.type === "text_delta" && before === "assistant_start") out.flush();
			before = frame.type;
		},
		drained: () => out.drained(),
	});
	const lines = new LineReader(maxLineBytes);
	let isReading = true;
	const receive = (line: Line): void => {
		if (!isReading || connection.receive(line)) return;
		isReading = false;
		end.resolve("refused");
	};
	const read = (chunk: Buffer): void => {
		for (const line of lines.read(chunk)) receive(line);
		out.flush();
		if (!out.full) return;
		input.pause();
		void out.drained().then(() => input.resume());
	};
	input.on("data", read);
	input.on("error", (error) => {
		log.error("the input cannot be read: all commands are ended", { error });
		isReading = false;
		end.resolve("unreadable");
	});
	input.once("end", () => {
		const last = lines.end();
		if (last) receive(last);
		void connection.end().then(() => end.resolve("ended"));
	});
	stop.addEventListener("abort", () => {
		isReading = false;
		void connection.terminate("stopped").then(() => end.resolve("ended"));
	});
	const outcome = await end.promise;
	isReading = false;
	out.flush();
	input.off("data", read);
	input.destroy();
	if (outcome !== "ended") await connection.terminate("lost");
	const ended = (await out.end()) ? outcome : "unread";
	if (ended === "refused" || ended === "unread") log.warn(endMessages[ended]);
	return exitCodes[ended];
}
