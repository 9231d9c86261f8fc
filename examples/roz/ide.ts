/**
 * Asks an agent about a file, as an editor does. The agent gets two tools that this program runs: `open_file` returns
 * the file, and `show_diagnostic` shows a message at a line of the file.
 *
 *   node examples/roz/ide.ts FILE "What is wrong here?"
 *
 * PARLEY_ADDRESS is HOST:PORT of the gateway (default: 127.0.0.1:8080), and PARLEY_TOKEN is its token.
 */
import { readFileSync } from "node:fs";
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

/** The part of google.protobuf.Value that this program uses. */
interface Value {
	readonly stringValue?: string;
	readonly numberValue?: number;
	readonly structValue?: Struct;
}

interface Struct {
	readonly fields: Readonly<Record<string, Value>>;
}

interface ToolRequest {
	readonly toolCallId: string;
	readonly toolName: string;
	readonly parameters: Struct | null;
}

/** A message of the gateway. `response` names the field that is set. */
interface SessionResponse {
	readonly response: string;
	readonly sessionStarted: { readonly sessionId: string; readonly model: string };
	readonly textDelta: { readonly content: string };
	readonly toolRequest: ToolRequest;
	readonly activityUpdate: { readonly state: string; readonly detail: string };
	readonly turnComplete: { readonly stopReason: string };
	readonly error: { readonly code: string; readonly message: string };
}

const [file, question] = process.argv.slice(2);
if (file === undefined || question === undefined) {
	process.stderr.write("usage: ide.ts FILE QUESTION\n");
	process.exit(2);
}
const text = readFileSync(file, "utf8");

/** Returns the JSON schema of an object. `parameters` contains the JSON type of each property. */
function schemaOf(parameters: Readonly<Record<string, string>>): Struct {
	const properties = Object.entries(parameters).map(([name, type]) => [
		name,
		{ structValue: { fields: { type: { stringValue: type } } } },
	]);
	return {
		fields: {
			type: { stringValue: "object" },
			properties: { structValue: { fields: Object.fromEntries(properties) } },
		},
	};
}

const tools = [
	{
		name: "open_file",
		description: "Returns the name and the text of the file that is open in the editor.",
		parametersSchema: schemaOf({}),
		category: "TOOL_CATEGORY_PURE",
	},
	{
		name: "show_diagnostic",
		description: "Shows a message at a line of the open file. Lines count from 1.",
		parametersSchema: schemaOf({ line: "number", message: "string" }),
		category: "TOOL_CATEGORY_PHYSICAL",
	},
];

function runTool({ toolName, parameters }: ToolRequest): {
	readonly success: boolean;
	readonly result: string;
} {
	if (toolName === "open_file") return { success: true, result: `${file}\n${text}` };
	const { line, message } = parameters?.fields ?? {};
	const at = line?.numberValue ?? 0;
	if (at < 1 || at > text.split("\n").length) return { success: false, result: `there is no line ${at}` };
	process.stdout.write(`\n${file}:${at}: ${message?.stringValue ?? ""}\n`);
	return { success: true, result: "shown" };
}

const schema = fileURLToPath(new URL("../../proto/roz/v1/agent.proto", import.meta.url));
const includeDirs = [fileURLToPath(new URL("../../proto", import.meta.url))];
const loaded = loadPackageDefinition(
	loadSync(schema, { defaults: true, enums: String, includeDirs, oneofs: true }),
);
const { AgentService } = (
	loaded["roz"] as unknown as Record<"v1", { AgentService: ServiceClientConstructor }>
).v1;
const address = process.env["PARLEY_ADDRESS"] ?? "127.0.0.1:8080";
// If the gateway uses TLS, pass credentials.createSsl().
const agent = new AgentService(address, credentials.createInsecure());

const metadata = new Metadata();
const token = process.env["PARLEY_TOKEN"];
if (token !== undefined) metadata.set("authorization", `Bearer ${token}`);
const session: ClientDuplexStream<object, SessionResponse> = agent["streamSession"]?.(metadata);

const terminal = createInterface({ input: process.stdin });
const answers = terminal[Symbol.asyncIterator]();

/** Asks for a decision about a tool call, and sends it. Any answer other than `approve` denies the call. */
async function decide(toolCallId: string): Promise<void> {
	process.stdout.write(`\nThe call ${toolCallId} waits: approve or deny? `);
	const { value: answer = "" } = await answers.next();
	session.write({ permissionDecision: { toolCallId, approved: answer.trim() === "approve" } });
}

function show(message: SessionResponse): void {
	switch (message.response) {
		case "sessionStarted":
			process.stderr.write(`${message.sessionStarted.model} in ${message.sessionStarted.sessionId}\n`);
			break;
		case "textDelta":
			process.stdout.write(message.textDelta.content);
			break;
		case "toolRequest":
			session.write({
				toolResult: { toolCallId: message.toolRequest.toolCallId, ...runTool(message.toolRequest) },
			});
			break;
		case "activityUpdate":
			// Not awaited, because another client may decide before this program. The turn then continues.
			if (message.activityUpdate.state === "waiting_approval") void decide(message.activityUpdate.detail);
			break;
		case "error":
			process.stderr.write(`${message.error.code}: ${message.error.message}\n`);
			break;
	}
}

session.write({ start: { environmentId: "default", tools } });
session.write({
	userMessage: {
		content: question,
		context: [{ label: "Active file", text: `${file}, ${text.length} characters` }],
	},
});
try {
	for await (const message of session) {
		show(message);
		if (message.response !== "turnComplete" && message.response !== "error") continue;
		const ending = message.response === "error" ? "failed" : message.turnComplete.stopReason;
		process.stdout.write(`\n(${ending})\n`);
		if (ending !== "end_turn") process.exitCode = 1;
		session.end();
	}
} catch (error) {
	// The message contains the gRPC status, for example "16 UNAUTHENTICATED: …".
	process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
	process.exitCode = 1;
}
terminal.close();
agent.close();
