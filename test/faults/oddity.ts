import type { Random } from "../random.ts";
import type { StreamedReply } from "../simulators/anthropic/reply.ts";
import { framed, within } from "./damaged-streams.ts";
import { type Failure, speaking } from "./failure.ts";
import { type Repeated, rowOf } from "./seeds.ts";

export interface Oddity {
	readonly name: string;
	readonly answer: (random: Random) => StreamedReply;
	/** Converts the received text to the expected text. By default, both are the same. */
	readonly restore?: (text: string) => string;
	readonly pass?: Failure["pass"];
}

/** Row of the fault table for unusual streams, which must be accepted. */
export const oddStreams: readonly (Oddity & Repeated)[] = rowOf<Oddity>([
	encoded("CRLF", (stream) => stream.replaceAll("\n", "\r\n")),
	encoded("CR", (stream) => stream.replaceAll("\n", "\r")),
	encoded("CRLF and LF by turns", (stream, random) =>
		stream.replaceAll("\n", () => (random.chance(0.5) ? "\n" : "\r\n")),
	),
	encoded("a byte order mark", (stream) => `\ufeff${stream}`),
	encoded("no blank after the colons", (stream) => stream.replaceAll(/^(event|data): /gm, "$1:")),
	encoded("data in several lines", (stream) => stream.replaceAll(',"delta":', ',\ndata: "delta":')),
	encoded("comments", (stream, random) => framed(stream, random, ": keep alive\n\n", 0)),
	encoded("a comment within an event", (stream, random) => framed(stream, random, ": keep alive\n", 0)),
	encoded("id and retry fields", (stream, random) => framed(stream, random, "id: 7\nretry: 100\n", 0)),
	encoded("unknown fields", (stream, random) => framed(stream, random, "mood: good\n", 0)),
	encoded("an unknown event", (stream, random) =>
		framed(stream, random, 'event: sparkle\ndata: {"type":"sparkle","delta":{}}\n\n', 0),
	),
	encoded("an unknown delta", (stream, random) => {
		const [head = "", ...rest] = stream.split(/(?<=event: content_block_start\n.*\n\n)/);
		const data = '{"type":"content_block_delta","index":0,"delta":{"type":"sparkle_delta","text":"no"}}';
		return head + framed(rest.join(""), random, `event: content_block_delta\ndata: ${data}\n\n`, 0);
	}),
	encoded("an unknown block", (stream) => {
		const start = '{"type":"content_block_start","index":9,"content_block":{"type":"sparkle","text":"no"}}';
		const end = '{"type":"content_block_stop","index":9}';
		const block = `event: content_block_start\ndata: ${start}\n\nevent: content_block_stop\ndata: ${end}\n\n`;
		return stream.replace("event: message_delta", `${block}event: message_delta`);
	}),
	encoded("an event after the end", (stream) => `${stream}event: content_block_delta\ndata: {}\n\n`),
	{
		name: "pings between all events",
		answer: (random) => speaking(random, { pingEvery: random.between(1, 3) }),
	},
	{
		name: "a connection that stays open after the end",
		answer: (random) => speaking(random, { break: { at: Number.POSITIVE_INFINITY, how: "hang" } }),
		pass: (time) => time.endsAfter(1_000),
	},
	{
		name: "a connection that is reset after the end",
		answer: (random) => speaking(random, { break: { at: Number.POSITIVE_INFINITY, how: "reset" } }),
	},
	{
		name: "invalid UTF-8",
		answer: (random) => speaking(random, { encode: (stream) => invalid(within(stream, random, "\u0001")) }),
		restore: (text) => text.replace("\ufffd", ""),
	},
]);

function encoded(name: string, change: (stream: string, random: Random) => string): Oddity {
	return {
		name,
		answer: (random) => speaking(random, { encode: (stream) => Buffer.from(change(stream, random)) }),
	};
}

function invalid(stream: string): Uint8Array {
	// 0xFF never occurs in UTF-8.
	return Buffer.from(stream).map((byte) => (byte === 1 ? 0xff : byte));
}
