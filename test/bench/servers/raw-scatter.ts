import { type WebSocket, WebSocketServer } from "ws";
import { answerParent } from "../measure/answer-parent.ts";
import { Chorus } from "../measure/chorus.ts";

/**
 * The floor: one model stream per client. `ws` sends each text in its own frame, which resembles the gateway's delta
 * frame.
 */
const chorus = new Chorus();
const server = new WebSocketServer({ host: "127.0.0.1", port: 0, perMessageDeflate: false });
server.on("connection", (client) => {
	client.on("message", () => void speak(client));
});
server.on("listening", () => {
	const address = server.address();
	if (typeof address !== "object" || address === null) throw new Error("no port");
	answerParent(address.port, async () => {
		for (const client of server.clients) client.terminate();
		server.close();
	});
});

async function speak(client: WebSocket): Promise<void> {
	const ids = { session_id: `sess_${"s".repeat(26)}`, seq: 3 };
	const run = `run_${"r".repeat(26)}`;
	for await (const content of chorus.voice((text) => text, "")) {
		const payload = { turn_id: run, phase: "delta", content };
		client.send(JSON.stringify({ type: "event", event: "assistant.stream", ...ids, payload }));
	}
}
