import type { CallToolResult, Client, ContentBlock, Tool } from "@modelcontextprotocol/client";
import { ParleyError } from "@parley/base";
import * as z from "zod";
import { faultsOf } from "../../tools/calls/tool-call.ts";
import { mcpExtraTexts } from "./texts.ts";

/** Maximum resources or prompts in one listing. */
const maxEntries = 200;

interface RequestLimits {
	readonly signal: AbortSignal;
	readonly timeout: number;
}

/** A tool of Parley with which a model uses a server's resources or prompts. */
interface Extra {
	readonly listed: Tool;
	call(client: Client, args: unknown, limits: RequestLimits): Promise<CallToolResult>;
}

const resourceExtras: readonly Extra[] = [
	{
		listed: toolOf("list_resources", mcpExtraTexts.listResources),
		async call(client, _args, limits) {
			const [{ resources }, { resourceTemplates }] = await Promise.all([
				client.listResources(undefined, limits),
				client.listResourceTemplates(undefined, limits),
			]);
			const lines = [
				...resources.map(({ uri, name, description = "" }) => `${uri}: ${name} ${description}`.trim()),
				...resourceTemplates.map(({ uriTemplate, name, description = "" }) =>
					`${mcpExtraTexts.template(uriTemplate)}: ${name} ${description}`.trim(),
				),
			];
			return listed(lines, mcpExtraTexts.noResources);
		},
	},
	{
		listed: toolOf("read_resource", mcpExtraTexts.readResource, {
			uri: { type: "string", description: mcpExtraTexts.uri },
		}),
		async call(client, args, limits) {
			const { uri } = read(z.object({ uri: z.string().min(1) }), args);
			const { contents } = await client.readResource({ uri }, { ...limits, cacheMode: "bypass" });
			return { content: contents.map((resource): ContentBlock => ({ type: "resource", resource })) };
		},
	},
];

const promptExtras: readonly Extra[] = [
	{
		listed: toolOf("list_prompts", mcpExtraTexts.listPrompts),
		async call(client, _args, limits) {
			const { prompts } = await client.listPrompts(undefined, limits);
			const lines = prompts.map(({ name, description = "", arguments: args = [] }) => {
				const names = args
					.map((one) => (one.required ? one.name : mcpExtraTexts.optional(one.name)))
					.join(", ");
				return `${name}(${names}): ${description}`;
			});
			return listed(lines, mcpExtraTexts.noPrompts);
		},
	},
	{
		listed: toolOf("get_prompt", mcpExtraTexts.getPrompt, {
			name: { type: "string", description: mcpExtraTexts.promptName },
			arguments: {
				type: "object",
				description: mcpExtraTexts.promptArguments,
				additionalProperties: { type: "string" },
			},
		}),
		async call(client, args, limits) {
			const Prompt = z.object({
				name: z.string().min(1),
				arguments: z.record(z.string(), z.string()).default({}),
			});
			const { messages } = await client.getPrompt(read(Prompt, args), limits);
			const content = messages.flatMap(({ role, content: block }): ContentBlock[] => [
				{ type: "text", text: `[${role}]` },
				block,
			]);
			return { content };
		},
	},
];

/** Returns the additional tools for a server. A server's own tool of the same name replaces an additional tool. */
export function extrasOf(client: Client, own: readonly Tool[]): readonly Extra[] {
	const { resources, prompts } = client.getServerCapabilities() ?? {};
	const all = [...(resources ? resourceExtras : []), ...(prompts ? promptExtras : [])];
	return all.filter(({ listed: { name } }) => !own.some((tool) => tool.name === name));
}

function toolOf(name: string, description: string, properties: Record<string, object> = {}): Tool {
	const required = Object.keys(properties).slice(0, 1);
	// The cast is safe because each property is a JSON schema, and no code relies on string values in the schema.
	const json = properties as Record<string, Record<string, string>>;
	return { name, description, inputSchema: { type: "object", properties: json, required } };
}

function listed(lines: readonly string[], empty: string): CallToolResult {
	const shown = lines.slice(0, maxEntries);
	const rest = lines.length - shown.length;
	const note = rest > 0 ? `\n${mcpExtraTexts.moreEntries(rest)}` : "";
	return { content: [{ type: "text", text: lines.length === 0 ? empty : `${shown.join("\n")}${note}` }] };
}

/** Error for invalid arguments of a call. The message is the reason for the model. The server received no request. */
export class InvalidCall extends ParleyError {}

/** Returns the checked arguments. Throws `InvalidCall`. */
function read<T>(schema: z.ZodType<T>, args: unknown): T {
	const { success, data, error } = schema.safeParse(args);
	if (success) return data;
	const message = mcpExtraTexts.invalidArguments(faultsOf(error.issues));
	throw new InvalidCall(message, { code: "invalid_argument", cause: error });
}
