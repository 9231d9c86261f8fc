import type { ClientHttp2Stream } from "node:http2";
import { frameCommand } from "../../conformance/drivers/kontekst-client.ts";
import { frameRozRequest, structOf } from "../../conformance/drivers/roz-client.ts";
import type { GrpcClient } from "./grpc-client.ts";

/** Sequential messages of one session. Call `say` only after the previous turn has ended. */
export interface Talk {
	/** Sends a message. Resolves with the stream of the reply. */
	say(prompt: string): Promise<ClientHttp2Stream>;
	turnEnded(): Promise<void>;
	close(): Promise<void>;
}

export interface GrpcWire {
	readonly name: string;
	/** Opens a stream and sends a message in a new session. */
	begin(client: GrpcClient, prompt: string): ClientHttp2Stream;
	/** Text that the gateway sends when a turn starts. */
	readonly begun: string;
	/** Opens a session. Only kontekst uses the name, and a server without sessions ignores it. */
	talk(client: GrpcClient, session: string): Talk;
	/** Returns the text that the gateway sends when a turn with `answerText` ends. */
	ended(answerText: string): string;
}

const run = "/kontekst.AgentService/Run";

/** The kontekst wire. A stream has one run, so each message has its own stream. */
export const kontekst: GrpcWire = {
	name: "kontekst",
	begin: (client, prompt) => client.open(run, frameCommand({ start: { prompt } })),
	begun: "sess_",
	talk(client, session) {
		const sessionId = `sess_${session.padStart(26, "b")}`;
		let stream: ClientHttp2Stream | undefined;
		const turnEnded = async (): Promise<void> => {
			if (stream) await ended(stream);
			stream = undefined;
		};
		return {
			async say(prompt) {
				stream = client.open(run, frameCommand({ start: { prompt, sessionId } }));
				return stream;
			},
			turnEnded,
			close: turnEnded,
		};
	},
	// The `completed` message repeats the reply.
	ended: (answerText) => answerText,
};

/** Reason in the hint at the start of a roz turn. The floor's server sends the reason before any other text. */
export const begun = "a turn has started";

const streamSession = "/roz.v1.AgentService/StreamSession";
const start = frameRozRequest({ start: {} });
const message = (content: string): Buffer => frameRozRequest({ userMessage: { content } });

/** The roz wire. One stream is one session. */
export const roz: GrpcWire = {
	name: "roz",
	begin: (client, prompt) => client.open(streamSession, start, message(prompt)),
	begun,
	talk(client) {
		const started = client.until(sessionStarted);
		const stream = client.open(streamSession, start);
		return {
			async say(prompt) {
				await started;
				stream.write(message(prompt));
				return stream;
			},
			turnEnded: async () => undefined,
			close: () => ended(stream),
		};
	},
	ended: () => "end_turn",
};

export const ping = frameRozRequest({ ping: {} });
/** The first bytes of an encoded `Pong`: the tag of its field, and length 0. */
export const pong = "B\0";

/** Text in the response to `start`. The floor's server responds to `start` with this text alone. */
export const sessionStarted = "require_confirmation";

/** A `RegisterTools` request with five tools of an editor. */
export const registerTools = frameRozRequest({
	registerTools: {
		source: "editor",
		systemContext: "The editor has a file open.",
		tools: ["open", "show", "select", "diagnose", "rename"].map((name) => ({
			name: `editor__${name}`,
			description: `Lets the editor ${name} what the user sees.`,
			parametersSchema: structOf({
				type: "object",
				properties: { path: { type: "string" }, line: { type: "integer" }, text: { type: "string" } },
				required: ["path"],
			}),
			timeoutMs: 30_000,
		})),
	},
});

async function ended(stream: ClientHttp2Stream): Promise<void> {
	stream.end();
	await new Promise((resolve) => stream.once("close", resolve));
}
