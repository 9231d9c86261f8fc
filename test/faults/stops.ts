import type { Random } from "../random.ts";
import type { StreamedReply, WireEvent } from "../simulators/anthropic/reply.ts";
import { cutUp } from "./cuts.ts";
import { speaking } from "./failure.ts";
import { type Repeated, rowOf } from "./seeds.ts";

export interface Stop {
	readonly name: string;
	readonly answer: (random: Random) => StreamedReply;
	/** True if the stop cuts off a call. The model then receives an error for this call, and the run continues. */
	readonly cutsCall?: true;
	readonly stop: "end_turn" | "tool_use" | "max_tokens" | "refusal";
}

/** Row of the fault table for stop reasons. */
export const stops: readonly (Stop & Repeated)[] = rowOf<Stop>([
	stopReply("null", null, "max_tokens"),
	stopReply("unknown", "sparkle", "max_tokens"),
	stopReply("max_tokens", "max_tokens", "max_tokens"),
	stopReply("the context window is full", "model_context_window_exceeded", "max_tokens"),
	stopReply("a stop sequence", "stop_sequence", "end_turn"),
	stopReply("a refusal", "refusal", "refusal"),
	{ name: "absent", answer: (random) => speaking(random, { edit: withoutReason }), stop: "max_tokens" },
	{
		name: "no message_delta at all",
		answer: (random) =>
			speaking(random, { edit: (events) => events.filter(({ event }) => event !== "message_delta") }),
		stop: "max_tokens",
	},
	called("max_tokens in the middle of a call", "max_tokens", (random) => halfCall(random)),
	called("max_tokens behind a call that looks whole", "max_tokens", () => '{"at":"the door"}'),
	called("max_tokens at the very beginning of a call", "max_tokens", () => ""),
	{
		name: "max_tokens in the middle of the second call",
		answer: (random) =>
			cutUp(
				{
					content: [
						{ type: "tool_use", id: `toolu_${random.below(1e9)}`, name: "look", input: { at: "the door" } },
						{ type: "tool_use", id: `toolu_${random.below(1e9)}`, name: "look", json: halfCall(random) },
					],
					stop: "max_tokens",
				},
				random,
			),
		stop: "max_tokens",
		cutsCall: true,
	},
	called("unknown, in the middle of a call", "sparkle", (random) => halfCall(random)),
	called("null, in the middle of a call", null, (random) => halfCall(random)),
]);

function stopReply(name: string, stop: string | null, expected: Stop["stop"]): Stop {
	return { name, answer: (random) => speaking(random, { stop }), stop: expected };
}

function called(name: string, stop: string | null, json: (random: Random) => string): Stop {
	return {
		name,
		answer: (random) =>
			cutUp(
				{
					content: [
						{ type: "text", text: "Let me see." },
						{ type: "tool_use", id: `toolu_${random.below(1e9)}`, name: "look", json: json(random) },
					],
					stop,
				},
				random,
			),
		stop: "max_tokens",
		cutsCall: true,
	};
}

function halfCall(random: Random): string {
	const json = JSON.stringify({ at: "the door", why: "somebody sings behind it" });
	return json.slice(0, random.between(1, json.length - 1));
}

function withoutReason(events: readonly WireEvent[]): WireEvent[] {
	return events.map((event) =>
		event.event === "message_delta"
			? { event: event.event, data: { ...Object(event.data), delta: { container: null } } }
			: event,
	);
}
