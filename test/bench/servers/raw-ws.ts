import { setImmediate } from "node:timers/promises";
import { type WebSocket, WebSocketServer } from "ws";
import { answerParent } from "../measure/answer-parent.ts";

/**
 * The floor: `ws` alone. For the text `TICKS EACH SIZE`, the server sends every client `EACH` texts of `SIZE` bytes
 * per tick, and then an end mark. A JSON text is sent back immediately.
 */
const server = new WebSocketServer({ host: "127.0.0.1", port: 0, perMessageDeflate: false });
server.on("connection", (client) => {
	client.on("message", (data) => void answer(client, String(data)));
});
server.on("listening", () => {
	const address = server.address();
	if (typeof address !== "object" || address === null) throw new Error("no port");
	answerParent(address.port, async () => {
		for (const client of server.clients) client.terminate();
		server.close();
	});
});

async function answer(client: WebSocket, order: string): Promise<void> {
	if (order.startsWith("{")) {
		client.send(order);
		return;
	}
	const [ticks = 0, each = 0, size = 0] = order.split(" ").map(Number);
	const text = "x".repeat(size);
	for (let tick = 0; tick < ticks; tick++) {
		for (let event = 0; event < each; event++) for (const peer of server.clients) peer.send(text);
		await setImmediate();
	}
	for (const peer of server.clients) peer.send("assistant.message");
}
