import { parseJson } from "@parley/base";
import * as z from "zod";

/** Limits for parsing a frame. A press includes its message, in which a table may have thousands of values. */
const limits = { maxNodes: 200_000 };

const id = z.string().min(1).max(256);

/** Frames of Slack on a socket: https://docs.slack.dev/apis/events-api/using-socket-mode */
const Frame = z.discriminatedUnion("type", [
	z.object({ type: z.literal("hello"), num_connections: z.int().optional() }),
	/**
	 * Values of `reason`:
	 * - `warning`: the socket closes in ten seconds
	 * - `refresh_requested`: the socket should be replaced
	 * - `link_disabled`: Slack refuses new sockets
	 */
	z.object({ type: z.literal("disconnect"), reason: z.string().default("") }),
	z.object({
		type: z.enum(["events_api", "slash_commands", "interactive"]),
		envelope_id: id,
		payload: z.record(z.string(), z.unknown()),
		retry_attempt: z.int().min(0).default(0),
	}),
]);
export type Frame = z.output<typeof Frame>;
export type EnvelopeFrame = Extract<Frame, { envelope_id: string }>;

/** Parses a frame. Throws if the JSON is invalid, or if the frame is not documented. */
export function readFrame(text: string): Frame {
	return Frame.parse(parseJson(text, limits));
}
