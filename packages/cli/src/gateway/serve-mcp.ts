import { once } from "node:events";
import { systemClock } from "@parley/base";
import { LineReader } from "@parley/gateway/ndjson";
import { type AddressFlags, findAgain, findGateway, locateGateway } from "../client/gateway-address.ts";
import { answerError, getFromGateway, unreachable } from "../client/gateway-http.ts";
import type { Io } from "../command-line/io.ts";
import { mcpServeTexts } from "../texts/gateway/mcp.ts";
import { McpBridge } from "./mcp-bridge.ts";

/** Maximum size of a message in bytes, equal to the limit of the gateway's endpoint. */
const maxBytes = 1024 * 1024;
/** Time limit for the gateway's first response in milliseconds. */
const healthTimeoutMs = 10_000;

/**
 * Serves the Model Context Protocol to the parent program over standard input and output. Works as a client of a
 * running gateway. Ends when the input ends or the output fails. Writes only protocol messages to stdout. Rejects if no
 * gateway can be reached at the start.
 */
export async function serveMcp(flags: AddressFlags, io: Io): Promise<void> {
	const address = await findGateway(flags, io);
	const health = await getFromGateway(address, "/api/health", AbortSignal.timeout(healthTimeoutMs)).catch(
		(cause: unknown) => {
			throw unreachable(address, cause);
		},
	);
	if (health.status !== 200 && health.status !== 503) throw answerError(address, health);
	const { stdin, stdout } = io;
	const disconnected = once(stdout, "error");
	const bridge = new McpBridge({
		clock: systemClock,
		find: findAgain(address, () => locateGateway(flags, io)),
		write: (line) => void stdout.write(`${line}\n`),
	});
	await Promise.race([readLines(stdin, bridge), disconnected]);
	await bridge.close();
	stdin.destroy();
}

async function readLines(stdin: Io["stdin"], bridge: McpBridge): Promise<void> {
	const reader = new LineReader(maxBytes);
	for await (const chunk of stdin) {
		// The cast is safe because the stream has no encoding.
		for (const line of reader.read(chunk as Buffer)) {
			if (line.kind === "text") await bridge.receive(line.text);
			else bridge.refuse(line.kind === "oversized" ? mcpServeTexts.longMessage : mcpServeTexts.notUtf8);
		}
	}
	const rest = reader.end();
	if (rest?.kind === "text") await bridge.receive(rest.text);
}
