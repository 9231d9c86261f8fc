import { Server, ServerCredentials, type ServerDuplexStream } from "@grpc/grpc-js";
import { encodeToken, runDefinition } from "../../conformance/drivers/kontekst-client.ts";
import { encodeTextDelta, sessionDefinition } from "../../conformance/drivers/roz-client.ts";
import { answerParent } from "../measure/answer-parent.ts";
import { Chorus } from "../measure/chorus.ts";
import { begun, sessionStarted } from "../measure/grpc-wires.ts";

/**
 * The floor: grpc-js alone. A kontekst or roz stream whose message is `speak` receives the texts of one chorus
 * stream, encoded in advance. For any other message, the server returns the message's text as a token.
 */
const chorus = new Chorus();
const same = (message: Buffer): Buffer => message;
const server = new Server({ "grpc.enable_channelz": 0 });

type Call<Request> = ServerDuplexStream<Request, Buffer>;
type Encode = (text: string) => Buffer;

interface Command {
	readonly start?: { readonly prompt?: string };
}

interface Request {
	readonly start?: object;
	readonly userMessage?: { readonly content?: string };
}

const messageId = "00000000-0000-4000-8000-000000000000";
const token = once(encodeToken);
const delta = once((text) => encodeTextDelta(messageId, text));

server.addService(
	{ run: { ...runDefinition, responseSerialize: same } },
	{
		run: (call: Call<Command>) => {
			call.on("data", ({ start }: Command) => answer(call, start?.prompt ?? "", token));
			listen(call);
		},
	},
);
server.addService(
	{ streamSession: { ...sessionDefinition, responseSerialize: same } },
	{
		streamSession: (call: Call<Request>) => {
			call.on("data", ({ start, userMessage }: Request) => {
				if (start) call.write(delta(sessionStarted));
				else answer(call, userMessage?.content ?? "", delta);
			});
			listen(call);
		},
	},
);
server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) => {
	if (error) throw error;
	answerParent(port, async () => server.forceShutdown());
});

function listen(call: Call<unknown>): void {
	call.on("end", () => call.end());
	call.on("error", () => undefined);
}

function answer(call: Call<unknown>, prompt: string, encode: Encode): void {
	if (prompt === "speak") void speak(call, encode);
	else call.write(encode(prompt));
}

async function speak(call: Call<unknown>, encode: Encode): Promise<void> {
	call.write(encode(begun));
	for await (const message of chorus.voice(encode, Buffer.alloc(0))) call.write(message);
}

function once(encode: Encode): Encode {
	const encoded = new Map<string, Buffer>();
	return (text) => {
		const known = encoded.get(text) ?? encode(text);
		encoded.set(text, known);
		return known;
	};
}
