import { defined, ParleyError } from "@parley/base";
import { parse, TomlError } from "smol-toml";
import * as z from "zod";
import { findNearMiss } from "../../text/near-miss.ts";
import { unknownNameTexts } from "../../text/texts.ts";
import { reasoningLevels, type Sampling } from "../../vocabulary/model.ts";
import { endpointApis, type Profile } from "./profile.ts";
import { agentConfigTexts } from "./texts.ts";

/** Content of an agent's `config.toml`. */
export type ProfileConfig = Omit<Profile, "name" | "title" | "instructions"> & {
	readonly title?: string;
};

const addressForm = agentConfigTexts.endpoint;

/**
 * Schema of the sampling settings. The errors of the schema list the allowed values, and `explain` adds the key and the
 * line of the key.
 */
const sampling = z.strictObject(
	{
		temperature: number(0, 2).optional(),
		top_p: number(0, 1).optional(),
		top_k: integer(0, 100_000).optional(),
		repeat_penalty: number(0.01, 10).optional(),
		max_tokens: integer(1, 1_000_000).optional(),
	},
	{ error: agentConfigTexts.sampling },
);

const provider = z.strictObject(
	{
		endpoint: line(2048, addressForm)
			.refine((text) => serverAddress(text) !== undefined, { error: addressForm })
			.optional(),
		api: z.enum(endpointApis, { error: endpointApis.join(", ") }).optional(),
		model: line(200, agentConfigTexts.providerModel).optional(),
		http_timeout_seconds: number(1, 3600).optional(),
	},
	{ error: agentConfigTexts.provider },
);

const schema = z.strictObject({
	name: line(100, agentConfigTexts.title).optional(),
	description: line(400, agentConfigTexts.description).optional(),
	model: line(200, agentConfigTexts.model).optional(),
	reasoning: z.enum(reasoningLevels, { error: reasoningLevels.join(", ") }).optional(),
	tools: z
		.array(line(128, agentConfigTexts.tool), { error: agentConfigTexts.tools })
		.max(200, { error: agentConfigTexts.tooManyTools })
		.optional(),
	/** Setting of another program for the role of tool results. Parley accepts and ignores the setting. */
	tool_role: z.boolean({ error: agentConfigTexts.boolean }).optional(),
	context_size: integer(1024, 10_000_000).optional(),
	sampling: sampling.optional(),
	provider: provider.optional(),
});

type Config = z.infer<typeof schema>;

/** Reads a `config.toml`. Throws `invalid_argument` with the reason, and with the line if the line is known. */
export function readProfileConfig(text: string): ProfileConfig {
	const { success, data, error } = schema.safeParse(parseToml(text));
	if (!success) throw explain(text, error);
	const { name, description, reasoning, tools, context_size, provider: server } = data;
	const model = modelOf(data);
	const endpoint = server && endpointOf(server);
	return {
		sampling: samplingOf(data.sampling ?? {}),
		...defined({ title: name, description, model, reasoning, tools, contextWindow: context_size, endpoint }),
	};
}

function parseToml(text: string): unknown {
	try {
		return parse(text, { maxDepth: 16, unsafeKeyBehaviour: "throw" });
	} catch (cause) {
		if (!(cause instanceof TomlError)) throw ParleyError.from(cause);
		const [message = ""] = cause.message.replace(/^Invalid TOML document: /, "").split("\n");
		throw refused(agentConfigTexts.invalidToml(cause.line, cause.column, message), cause);
	}
}

function modelOf({ model, provider: server }: Config): string | undefined {
	if (model === undefined || server?.model === undefined || model === server.model) {
		return model ?? server?.model;
	}
	throw refused(agentConfigTexts.twoModels(model, server.model));
}

function endpointOf({
	endpoint,
	api,
	http_timeout_seconds: seconds,
}: NonNullable<Config["provider"]>): Profile["endpoint"] {
	const url = endpoint === undefined ? undefined : serverAddress(endpoint);
	if (url !== undefined) {
		return { url, ...defined({ api, timeoutMs: seconds === undefined ? undefined : seconds * 1000 }) };
	}
	if (seconds !== undefined) throw refused(agentConfigTexts.timeoutNeedsEndpoint);
	if (api !== undefined) throw refused(agentConfigTexts.apiNeedsEndpoint);
	return undefined;
}

function samplingOf(keys: NonNullable<Config["sampling"]>): Sampling {
	const { temperature, top_p, top_k, repeat_penalty, max_tokens } = keys;
	return {
		...defined({
			temperature,
			topP: top_p,
			topK: top_k,
			repeatPenalty: repeat_penalty,
			maxTokens: max_tokens,
		}),
	};
}

const tables: Readonly<Record<string, z.ZodObject>> = { "": schema, sampling, provider };

function explain(text: string, { issues: [issue] }: z.ZodError): ParleyError {
	const path = (issue?.path ?? []).map(String);
	if (issue?.code === "unrecognized_keys") return unknownKey(text, path.join("."), issue.keys[0] ?? "");
	const [first = "", second] = path;
	const isTable = first !== "" && second !== undefined && Object.hasOwn(tables, first);
	const place = isTable ? placeOf(text, first, second) : placeOf(text, "", first);
	return refused(agentConfigTexts.invalid(place, path.join("."), issue?.message));
}

function unknownKey(text: string, table: string, key: string): ParleyError {
	const allowed = Object.keys(tables[table]?.shape ?? {});
	const advice = unknownNameTexts.allowed(findNearMiss(key, allowed), allowed);
	const where = table === "" ? "" : ` in [${table}]`;
	const shown = JSON.stringify(key.slice(0, 100));
	return refused(
		agentConfigTexts.unknownKey({ place: placeOf(text, table, key), key: shown, where, advice }),
	);
}

/**
 * Returns the line of a key as the beginning of an error message: `line 3: `. Returns "" if the key was not found, for
 * example because it is in an inline table.
 */
function placeOf(text: string, table: string, key: string): string {
	let current = "";
	for (const [index, row] of text.split("\n").entries()) {
		const [, header] = /^\s*\[+\s*"?([^\]"]+?)"?\s*\]/.exec(row) ?? [];
		const [, name] = /^\s*["']?([^"'=\s.]+)["']?\s*[=.]/.exec(row) ?? [];
		current = header ?? current;
		if (header === undefined ? current === table && name === key : table === "" && header === key) {
			return `line ${index + 1}: `;
		}
	}
	return "";
}

function line(max: number, allowed: string): z.ZodString {
	return z
		.string({ error: allowed })
		.max(max, { error: allowed })
		.regex(/^\P{Cc}*\S\P{Cc}*$/u, { error: allowed });
}

function number(min: number, max: number): z.ZodNumber {
	const error = agentConfigTexts.number(min, max);
	return z.number({ error }).min(min, { error }).max(max, { error });
}

function integer(min: number, max: number): z.ZodNumber {
	const error = agentConfigTexts.wholeNumber(min, max);
	return z.int({ error }).min(min, { error }).max(max, { error });
}

/**
 * Returns the address without a final `/v1`, because addresses in the settings of other programs end with `/v1`.
 * Returns undefined if the address is invalid.
 */
function serverAddress(text: string): string | undefined {
	const url = URL.parse(text);
	if (!url || !/^https?:$/.test(url.protocol) || /[?#]/.test(text)) return undefined;
	if (url.username !== "" || url.password !== "") return undefined;
	return url.href.replace(/\/+$/, "").replace(/\/v1$/, "");
}

function refused(message: string, cause?: unknown): ParleyError {
	return new ParleyError(message, { code: "invalid_argument", ...defined({ cause }) });
}
