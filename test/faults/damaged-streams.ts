import type { Random } from "../random.ts";
import type { WireEvent } from "../simulators/anthropic/reply.ts";
import { type Failure, speaking } from "./failure.ts";
import { type Repeated, rowOf } from "./seeds.ts";

const MIB = 1 << 20;

/** Row of the fault table for malformed streams, which must not be accepted as an answer. */
export const damagedStreams: readonly (Failure & Repeated)[] = rowOf([
	encoded("no blank lines", (stream) => stream.replaceAll("\n\n", "\n")),
	large("a line of 2 MiB", (stream, random) => {
		const text = "x".repeat(2 * MIB);
		return framed(stream, random, random.pick([delta(0, { type: "text_delta", text }), `: ${text}\n\n`]));
	}),
	large("an event of 2 MiB in short lines", (stream, random) =>
		framed(stream, random, `${`data: ${"x".repeat(1_000)}\n`.repeat(2_100)}\n`),
	),
	large("65 MiB of comments", (stream, random) =>
		framed(stream, random, `: ${"x".repeat(MIB / 2)}\n\n`.repeat(130)),
	),
	encoded("NUL in an event", (stream, random) => within(stream, random, "\0")),
	encoded("data that is no JSON", (stream, random) =>
		framed(stream, random, "event: content_block_delta\ndata: {nothing}\n\n"),
	),
	...["null", "7", '"words"'].map((data) =>
		encoded(`data that is no object: ${data}`, (stream, random) =>
			framed(stream, random, `event: content_block_delta\ndata: ${data}\n\n`),
		),
	),
	edited("the first two events in the wrong order", ([first, second, ...rest]) =>
		[second, first, ...rest].filter((event) => event !== undefined),
	),
	edited("deltas before their block", (events) => {
		const start = events.findIndex(({ event }) => event === "content_block_start");
		const first = events.findIndex(({ event }) => event === "content_block_delta");
		return events.toSpliced(first, 1).toSpliced(start, 0, ...events.slice(first, first + 1));
	}),
	edited("the end of a block before its start", (events) => {
		const start = events.findIndex(({ event }) => event === "content_block_start");
		return events.toSpliced(start, 0, {
			event: "content_block_stop",
			data: { type: "content_block_stop", index: 0 },
		});
	}),
	edited("a second start of the message", (events, random) =>
		events.toSpliced(random.between(1, events.length - 1), 0, ...events.slice(0, 1)),
	),
	edited("the same content_block_start twice", (events, random) => {
		const start = events.findIndex(({ event }) => event === "content_block_start");
		return events.toSpliced(
			random.between(start + 1, events.length - 2),
			0,
			...events.slice(start, start + 1),
		);
	}),
	encoded("a delta for a block that was never opened", (stream, random) =>
		framed(stream, random, delta(7, { type: "text_delta", text: "lost" })),
	),
	encoded("a delta of another kind of block", (stream, random) => {
		const [head = "", ...rest] = stream.split(/(?<=event: content_block_start\n.*\n\n)/);
		return (
			head + framed(rest.join(""), random, delta(0, { type: "input_json_delta", partial_json: "{}" }), 0)
		);
	}),
]);

function encoded(name: string, change: (stream: string, random: Random) => string): Failure {
	return {
		name,
		answer: (random) => speaking(random, { encode: (stream) => Buffer.from(change(stream, random)) }),
		fault: "interrupted",
	};
}

function large(name: string, change: (stream: string, random: Random) => string): Failure {
	return { ...encoded(name, change), large: true };
}

function edited(
	name: string,
	edit: (events: readonly WireEvent[], random: Random) => readonly WireEvent[],
): Failure {
	return {
		name,
		answer: (random) => speaking(random, { edit: (events) => edit(events, random) }),
		fault: "interrupted",
	};
}

function delta(index: number, content: object): string {
	return `event: content_block_delta\ndata: ${JSON.stringify({ type: "content_block_delta", index, delta: content })}\n\n`;
}

/** Inserts a frame at a random place after at least `least` frames and before the end of the first block. */
export function framed(stream: string, random: Random, frame: string, least = 1): string {
	const frames = stream.split(/(?<=\n\n)/);
	const end = frames.findIndex((one) => one.startsWith("event: content_block_stop"));
	return frames.toSpliced(random.between(least, end), 0, frame).join("");
}

/** Inserts a string at the start of the text in a random delta. */
export function within(stream: string, random: Random, inserted: string): string {
	const places = [...stream.matchAll(/"text_delta","text":"/g)].map(
		({ index, 0: { length } }) => index + length,
	);
	const place = random.pick(places);
	return stream.slice(0, place) + inserted + stream.slice(place);
}
