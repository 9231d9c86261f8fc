/**
 * Sends one message. Asks on the terminal for the approval of each tool call, and for an answer to each question.
 *
 *   node examples/ozzie/ask.ts "run: echo hi"
 *
 * PARLEY_ADDRESS is HOST:PORT of the gateway (default: 127.0.0.1:7777), and PARLEY_TOKEN is its token.
 */
import { createInterface } from "node:readline";

type Payload = Readonly<Record<string, unknown>>;

type Frame =
	| { readonly type: "res"; readonly id: string; readonly ok: true; readonly payload: Payload }
	| { readonly type: "res"; readonly id: string; readonly ok: false; readonly error: string }
	| { readonly type: "event"; readonly event: string; readonly payload: Payload };

const [content] = process.argv.slice(2);
if (content === undefined) {
	process.stderr.write("usage: ask.ts MESSAGE\n");
	process.exit(2);
}

const address = process.env["PARLEY_ADDRESS"] ?? "127.0.0.1:7777";
const token = process.env["PARLEY_TOKEN"];
// The URL of a gateway with TLS begins with wss.
const socket = new WebSocket(`ws://${address}/api/ws`, {
	headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
});

const terminal = createInterface({ input: process.stdin });
const answers = terminal[Symbol.asyncIterator]();
let requests = 0;
let isEnded = false;

function request(method: string, params: Payload): void {
	requests += 1;
	socket.send(JSON.stringify({ type: "req", id: String(requests), method, params }));
}

function fail(reason: string): void {
	process.stderr.write(`${reason}\n`);
	process.exitCode = 1;
	end();
}

function end(): void {
	isEnded = true;
	terminal.close();
	socket.close();
}

/** Asks one question, and sends the answer. At the end of the input, denies the call or cancels the question. */
async function ask({ token, label, type }: Payload): Promise<void> {
	const choices = type === "confirm" ? " approve or deny?" : "";
	process.stdout.write(`\n${label}${choices} `);
	const { value: answer, done } = await answers.next();
	const isDenied = done || (type === "confirm" && answer.trim() !== "approve");
	if (isDenied) request("prompt_response", { token, cancelled: true, reason: "denied on the terminal" });
	else request("prompt_response", { token, value: type === "confirm" ? true : answer });
}

function show(event: string, payload: Payload): void {
	switch (event) {
		case "assistant.stream":
			process.stdout.write(String(payload["content"]));
			break;
		case "prompt.request":
			// Not awaited, because another client may answer before this program. The run then continues.
			void ask(payload);
			break;
		case "tool.call":
			if (payload["status"] === "completed") process.stdout.write(`\n${payload["result"]}\n`);
			if (payload["status"] === "failed") process.stdout.write(`\n${payload["error"]}\n`);
			break;
		case "assistant.message":
			if (payload["error"] !== "") fail(`\n${payload["error"]}`);
			else {
				process.stdout.write("\n(completed)\n");
				end();
			}
			break;
	}
}

socket.addEventListener("open", () => {
	request("open_session", {});
	request("send_message", { content });
});
socket.addEventListener("message", ({ data }) => {
	const frame: Frame = JSON.parse(String(data));
	if (frame.type === "event") show(frame.event, frame.payload);
	else if (!frame.ok) fail(frame.error);
});
socket.addEventListener("close", ({ code, reason }) => {
	if (!isEnded) fail(`the gateway at ${address} closed the connection or refused it: ${code} ${reason}`);
});
