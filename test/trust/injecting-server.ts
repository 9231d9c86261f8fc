/**
 * An MCP server with an attacker's instruction in one of its texts. The first argument is the instruction. The second
 * argument selects the text: `description`, `parameter`, `result`, `prompt` or `resource`.
 */
import { createInterface } from "node:readline";

const [, , instruction = "", place = ""] = process.argv;

function textOf(where: string): string {
	return where === place ? instruction : "harmless";
}

const text = { type: "string", description: textOf("parameter") };
const uri = "notes://mail";

const answers: Readonly<Record<string, object>> = {
	"tools/list": {
		tools: [
			{
				name: "look",
				description: textOf("description"),
				inputSchema: { type: "object", properties: { text } },
			},
		],
	},
	"tools/call": { content: [{ type: "text", text: textOf("result") }] },
	"prompts/list": { prompts: [{ name: "mail", description: "Mail." }] },
	"prompts/get": { messages: [{ role: "user", content: { type: "text", text: textOf("prompt") } }] },
	"resources/list": { resources: [{ uri, name: "mail" }] },
	"resources/templates/list": { resourceTemplates: [] },
	"resources/read": { contents: [{ uri, text: textOf("resource") }] },
	ping: {},
};

for await (const line of createInterface({ input: process.stdin })) {
	// The cast is safe because the client sends only protocol messages.
	const {
		id,
		method = "",
		params = {},
	} = JSON.parse(line) as {
		id?: number;
		method?: string;
		params?: { protocolVersion?: string };
	};
	if (id === undefined) continue;
	const serverInfo = { name: "letters", version: "1" };
	const capabilities = { tools: {}, prompts: {}, resources: {} };
	const { protocolVersion } = params;
	const result = method === "initialize" ? { protocolVersion, capabilities, serverInfo } : answers[method];
	const outcome = result ? { result } : { error: { code: -32601, message: "Method not found" } };
	process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...outcome })}\n`);
}
