/**
 * Runs one prompt, and asks on the terminal for the approval of each tool call.
 *
 *   node examples/kontekst/ask.ts "run: echo hi"
 *
 * PARLEY_ADDRESS is HOST:PORT of the gateway (default: 127.0.0.1:50051), and PARLEY_TOKEN is its token.
 */
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import {
	type ClientDuplexStream,
	credentials,
	loadPackageDefinition,
	Metadata,
	type ServiceClientConstructor,
} from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";

interface ProposedCall {
	readonly callId: string;
	readonly name: string;
	readonly argumentsJson: string;
	/** Diff of the changes that the call would make. Empty if there is nothing to show. */
	readonly preview: string;
}

/** An event of a run. `event` names the field that is set. */
interface RunEvent {
	readonly event: string;
	readonly token: { readonly text: string };
	readonly reasoning: { readonly text: string };
	readonly toolsProposed: { readonly calls: readonly ProposedCall[] };
	readonly toolCompleted: { readonly output: string };
	readonly toolFailed: { readonly error: string };
	readonly failed: { readonly error: string };
}

type RunCommand =
	| { readonly start: { readonly prompt: string } }
	| { readonly approveTool: { readonly callId: string } }
	| { readonly denyTool: { readonly callId: string; readonly reason: string } };

const [prompt] = process.argv.slice(2);
if (prompt === undefined) {
	process.stderr.write("usage: ask.ts PROMPT\n");
	process.exit(2);
}

const schema = fileURLToPath(new URL("../../proto/kontekst.proto", import.meta.url));
const { kontekst } = loadPackageDefinition(loadSync(schema, { defaults: true, oneofs: true }));
const { AgentService } = kontekst as unknown as { readonly AgentService: ServiceClientConstructor };
const address = process.env["PARLEY_ADDRESS"] ?? "127.0.0.1:50051";
// If the gateway uses TLS, pass credentials.createSsl().
const agent = new AgentService(address, credentials.createInsecure());

const metadata = new Metadata();
const token = process.env["PARLEY_TOKEN"];
if (token !== undefined) metadata.set("authorization", `Bearer ${token}`);
const run: ClientDuplexStream<RunCommand, RunEvent> = agent["run"]?.(metadata);

const terminal = createInterface({ input: process.stdin });
const answers = terminal[Symbol.asyncIterator]();

/** Asks for a decision about each call, and sends it. Any answer other than `approve` denies the call. */
async function decide(calls: readonly ProposedCall[]): Promise<void> {
	for (const { callId, name, argumentsJson, preview } of calls) {
		process.stdout.write(`\n${name} ${argumentsJson}\n${preview}approve or deny? `);
		const { value: answer = "" } = await answers.next();
		if (answer.trim() === "approve") run.write({ approveTool: { callId } });
		else run.write({ denyTool: { callId, reason: "denied on the terminal" } });
	}
}

function show(message: RunEvent): void {
	switch (message.event) {
		case "token":
			process.stdout.write(message.token.text);
			break;
		case "reasoning":
			process.stderr.write(message.reasoning.text);
			break;
		case "toolsProposed":
			// Not awaited, because another client may decide before this program. The run then continues.
			void decide(message.toolsProposed.calls);
			break;
		case "toolCompleted":
			process.stdout.write(`\n${message.toolCompleted.output}\n`);
			break;
		case "toolFailed":
			process.stdout.write(`\n${message.toolFailed.error}\n`);
			break;
		case "failed":
			process.stderr.write(`${message.failed.error}\n`);
			break;
	}
}

run.write({ start: { prompt } });
try {
	for await (const message of run) {
		show(message);
		if (["completed", "cancelled", "failed"].includes(message.event)) {
			process.stdout.write(`\n(${message.event})\n`);
			if (message.event !== "completed") process.exitCode = 1;
			run.end();
		}
	}
} catch (error) {
	// The message contains the gRPC status, for example "16 UNAUTHENTICATED: …".
	process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
	process.exitCode = 1;
}
terminal.close();
agent.close();
