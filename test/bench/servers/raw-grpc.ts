import { Server, ServerCredentials, type ServerDuplexStream } from "@grpc/grpc-js";
import { encodeToken, runDefinition } from "../../conformance/drivers/kontekst-client.ts";
import { answerParent } from "../measure/answer-parent.ts";
import { Chorus } from "../measure/chorus.ts";

/**
 * The floor: grpc-js alone, which sends encoded messages as they are. A stream whose first message is `speak` pushes the
 * texts of one voice, each a message that was encoded before; any other message is sent back as a token.
 */
const chorus = new Chorus();
const encoded = new Map<string, Buffer>();
const same = (message: Buffer): Buffer => message;
const server = new Server({ "grpc.enable_channelz": 0 });
server.addService(
	{ run: { ...runDefinition, responseSerialize: same } },
	{
		run: (call: ServerDuplexStream<{ readonly start?: { readonly prompt?: string } }, Buffer>) => {
			call.on("data", ({ start }: { readonly start?: { readonly prompt?: string } }) => {
				const prompt = start?.prompt ?? "";
				if (prompt === "speak") void speak(call);
				else call.write(encodeToken(prompt));
			});
			call.on("end", () => call.end());
			call.on("error", () => undefined);
		},
	},
);
server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) => {
	if (error) throw error;
	answerParent(port, async () => server.forceShutdown());
});

async function speak(call: ServerDuplexStream<unknown, Buffer>): Promise<void> {
	call.write(encodeToken("begun"));
	for await (const message of chorus.voice(encodeOnce, Buffer.alloc(0))) call.write(message);
}

function encodeOnce(text: string): Buffer {
	const known = encoded.get(text) ?? encodeToken(text);
	encoded.set(text, known);
	return known;
}
