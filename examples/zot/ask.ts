/**
 * Asks the agent one question, and prints the state of the session. Denies each call that requires approval.
 *
 *   node examples/zot/ask.ts "say: hello" --provider offline
 *
 * Arguments after the question are passed to `zot rpc`. ZOT is the command that starts the agent (default: `zot`).
 * If ZOTCORE_RPC_TOKEN is set, the agent requires this token, and the program sends it.
 */
import { type Line, ZotClient } from "./zot-client.ts";

const [question, ...flags] = process.argv.slice(2);
if (question === undefined) {
	process.stderr.write("usage: ask.ts QUESTION [FLAGS of zot rpc]\n");
	process.exit(2);
}
const agent = start();

function start(): ZotClient {
	const [program = "zot", ...first] = (process.env["ZOT"] || "zot").split(" ");
	try {
		return new ZotClient([program, ...first], flags);
	} catch (error) {
		process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
		process.exit(1);
	}
}

function show(event: Line): void {
	switch (event.type) {
		case "text_delta":
			process.stdout.write(String(event["delta"]));
			break;
		case "tool_call":
			process.stdout.write(`\n[${event["name"]}] ${JSON.stringify(event["args"])}\n`);
			break;
		case "tool_progress":
			process.stdout.write(String(event["text"]).replaceAll(/^(?=.|\n)/gm, "  | "));
			break;
		case "ask":
			process.stdout.write(`\n${event["label"]} no\n`);
			agent
				.request("approve", { ask: event.id, allow: false, reason: "no person is present to answer" })
				// If the agent has ended, `prompt` reports the error.
				.catch(() => undefined);
			break;
	}
}

try {
	const token = process.env["ZOTCORE_RPC_TOKEN"];
	await agent.request("hello", token === undefined ? {} : { token });
	await agent.prompt(question, show);
	const state = await agent.request("get_state");
	process.stdout.write(`\n${JSON.stringify(state)}\n`);
	process.exitCode = (await agent.close()) === 0 ? 0 : 1;
} catch (error) {
	process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
	await agent.close();
	process.exitCode = 1;
}
