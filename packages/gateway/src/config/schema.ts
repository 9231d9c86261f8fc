import { logLevels } from "@parley/base";
import type { JsonPath } from "@parley/base/commented-json";
import { readAllowedHost, reasoningLevels, sandboxModes } from "@parley/core";
import * as z from "zod";
import { authModes } from "../auth/auth-mode.ts";
import { parseEndpoint } from "../transport/address.ts";
import { isNetwork } from "../transport/networks.ts";
import { parseApiUrl, parseBaseUrl } from "./base-url.ts";
import { chatSchema } from "./chat-schema.ts";
import { apis } from "./known-providers.ts";
import { mcpSchema } from "./mcp-schema.ts";
import { searchSchema } from "./search-settings.ts";
import { choice, dollars, list, string, wholeNumber } from "./setting-types.ts";

const providerName = "a name of small letters, digits and hyphens, such as openai or my-server";

const providers = () =>
	z.record(
		string(providerName).regex(/^[a-z][a-z0-9-]{0,30}$/, { error: providerName }),
		z
			.strictObject({
				api: choice(apis).describe(
					"API of the server. Default: that of the known provider with this name at its own address, else chat-completions.",
				),
				baseUrl: string(apiAddress)
					.refine((text) => parseApiUrl(text) !== undefined, { error: apiAddress })
					.describe(
						"Address of the API with its version, such as http://127.0.0.1:8000/v1. Default: the address of the known provider with this name.",
					),
				key: string(variableName)
					.regex(/^[A-Za-z_]\w*$/, { error: variableName })
					.describe(
						"Name of the variable of the environment that has the key. Default: the variable of the known provider if the address is its own, else no key.",
					),
			})
			.partial(),
	);

const apiAddress = "an http or https address with the version of the API, such as http://127.0.0.1:8000/v1";
const variableName = "the name of a variable of the environment, such as MISTRAL_API_KEY";

const models = () =>
	z
		.strictObject({
			fallback: list("the name of a model").describe(
				"Models to use, in this order, if the first model fails.",
			),
			providers: providers().describe(
				"Further providers by name. Known names: openai, gemini, openrouter, mistral, groq, kimi, moonshot, bedrock, azure, vllm, lmstudio and ollama. " +
					"The names of their models are provider/model. The entry anthropic is Claude beside another provider. openai, gemini, openrouter, " +
					"kimi and moonshot need no entry if their key is set and no other provider or server is named.",
			),
			file: string("a file").describe(
				"JSON file that adds models to the built-in table and corrects its rows. Relative to this file. Default: models.json in the data directory, if it exists.",
			),
		})
		.partial();

const limits = (scope = "") => ({
	day: dollars().describe(`US dollars for one UTC day${scope}. Default: no limit.`),
	month: dollars().describe(`US dollars for one UTC month${scope}. Default: no limit.`),
});

const budgets = () =>
	z
		.strictObject({
			...limits(),
			session: z.strictObject(limits(" in one session")).partial().describe("Limits for each session."),
		})
		.partial();

const tls = () =>
	z.strictObject({
		cert: string("a file with the certificate, in PEM form, beside tls.key").describe(
			"PEM file with the certificate, followed by the intermediate certificates. Relative to this file.",
		),
		key: string("a file with the certificate's private key, in PEM form, beside tls.cert").describe(
			"PEM file with the private key. Only its owner and its group may read it. Relative to this file.",
		),
	});

const publicAddress = "an https address without a path, such as https://parley.example";

const mebibyte = 1024 * 1024;

const files = () =>
	z
		.strictObject({
			maxBytes: wholeNumber(1, 1024 * mebibyte).describe(
				"Maximum size of one file, in bytes. Default: 33554432 (32 MiB).",
			),
			quotaBytes: wholeNumber(1, 1024 * 1024 * mebibyte).describe(
				"Maximum size of all stored files together, in bytes. Each file counts as at least 4 KiB. Default: 1073741824 (1 GiB).",
			),
			keepDays: wholeNumber(1, 3650).describe(
				"Days until an upload that no message uses is deleted. Other files are deleted with their session. Default: 7.",
			),
		})
		.partial();

const tasks = () =>
	z
		.strictObject({
			limit: wholeNumber(1, 64).describe(
				"Maximum tasks that run at the same time, including workers. Default: 4.",
			),
			minutes: wholeNumber(1, 7 * 24 * 60).describe(
				"Maximum working time of a task, in minutes. Time spent waiting for people or workers is not counted. Default: 120.",
			),
			modelCalls: wholeNumber(1, 10_000).describe(
				"Maximum model calls of a task. At the limit, the task ends with the work done so far. Default: 200.",
			),
		})
		.partial();

const hostOfCommands = "the name of a host such as packages.example.org, or *. and a name for all below it";

const egress = () =>
	z
		.strictObject({
			allow: list(hostOfCommands, (text) => readAllowedHost(text) !== undefined).describe(
				"Host names, such as packages.example.org. A name such as *.githubusercontent.com allows all subdomains. Default: none.",
			),
		})
		.partial();

const serverAddress =
	"an http or https address such as http://127.0.0.1:8080, without a user name or a query";

const discordAddress = (description: string): z.ZodString =>
	string(serverAddress)
		.refine((text) => parseBaseUrl(text) !== undefined, { error: serverAddress })
		.describe(`${description} Default: the address of Discord.`);

const discord = () =>
	z
		.strictObject({
			apiUrl: discordAddress("Address of the REST API, without the version."),
			cdnUrl: discordAddress("Address that attachments are downloaded from."),
		})
		.partial();

const slack = () =>
	z
		.strictObject({
			apiUrl: string(serverAddress)
				.refine((text) => parseBaseUrl(text) !== undefined, { error: serverAddress })
				.describe("Address of the Web API, including /api. Default: the address of Slack."),
			listen: string("HOST:PORT, for example 127.0.0.1:3000")
				.refine(isEndpoint, { error: "HOST:PORT, for example 127.0.0.1:3000" })
				.describe(
					"HOST:PORT for requests from Slack. Needed with SLACK_SIGNING_SECRET, and not used with SLACK_APP_TOKEN.",
				),
		})
		.partial();

const llama = () =>
	z
		.strictObject({
			endpoint: string(serverAddress)
				.refine((text) => parseBaseUrl(text) !== undefined, { error: serverAddress })
				.describe("Address of the server. Default: http://127.0.0.1:8080."),
			model_dir: string("a directory").describe(
				"Directory with models. The program starts in it and receives it as LLAMA_ARG_MODELS_DIR. Relative to this file.",
			),
			command: string("the name or path of a program such as llama-server").describe(
				"Program to start: a name in PATH, or a path relative to this file. Without it, the gateway starts no program and uses the server at the endpoint.",
			),
			args: list("an argument of the program").describe(
				'Arguments of the program, for example ["-m", "model.gguf", "--jinja"]. Do not set host and port: they come from the endpoint.',
			),
			autostart: z
				.boolean({ error: "true or false" })
				.describe(
					"Start the program with the gateway. If false, it starts at the first request. Default: true.",
				),
		})
		.partial();

/** Functions, because only the settings of a source are created. Creating all of them slows down each start. */
const settings = {
	$schema: () => string("the address of this schema").describe("Address of this JSON Schema, for editors."),
	listen: () =>
		list("HOST:PORT, for example 127.0.0.1:7777 or [::1]:7777; port 0 chooses a free port", isEndpoint)
			.min(1, { error: "at least one HOST:PORT" })
			.describe(
				"Addresses to listen on: HOST:PORT, with IPv6 addresses in brackets. Port 0 chooses a free port. Default: 127.0.0.1:7777.",
			),
	data: () =>
		string("a directory").describe(
			"Data directory, which stores sessions and tokens. Not allowed in a file in the data directory. Relative to this file. Default: ~/.local/share/parley on Linux, ~/Library/Application Support/parley on macOS.",
		),
	root: () =>
		list("a directory").describe(
			"Directories that tools may read and write. Relative to this file. Default: the directory in which the gateway starts.",
		),
	provider: () =>
		string("the name of a provider").describe(
			"Provider of the model: auto, anthropic, offline, a known provider such as openai, or a name of models.providers. The provider " +
				"anthropic needs a key (ANTHROPIC_API_KEY) or a base URL. The provider offline needs neither. The value auto means anthropic " +
				"if there is a key or a base URL. Else it means the first of models.providers, or the first provider with a key. " +
				"Without any of them, it means offline. Default: auto.",
		),
	model: () =>
		string("the name of a model").describe(
			"Model of the provider: a name or a tier (fast, standard, max). Default: standard, or the only model of the server at baseUrl.",
		),
	baseUrl: () =>
		string(serverAddress)
			.refine((text) => parseBaseUrl(text) !== undefined, { error: serverAddress })
			.describe(
				"Address of another server that speaks the Messages API. If no model is set, the server must have exactly one. " +
					"Default: the address of Anthropic. With another provider, the address of its API with its version.",
			),
	llama: () =>
		llama().describe(
			"A local model server with the interface of llama-server. The gateway uses its models. If the server needs a key, " +
				"set LLAMA_API_KEY in the environment.",
		),
	reasoning: () =>
		choice(reasoningLevels).describe(
			"How much models think before they answer. Default: the default of the model.",
		),
	maxModelCalls: () =>
		wholeNumber(1, 1000).describe(
			"Maximum model calls of a turn. At the limit, the turn ends with the work done so far. Default: 50.",
		),
	models: () => models().describe("Further providers, fallback models, and the table of models."),
	budgets: () => budgets().describe("Limits of cost. When a budget is spent, no model is called."),
	titles: () =>
		z
			.boolean({ error: "true or false" })
			.describe(
				"Let a model write a title for each session without one. This takes one short model call for each session. Default: true.",
			),
	tasks: () => tasks().describe("Limits of tasks in the background."),
	files: () => files().describe("Limits of stored files: uploads of people and files of tools."),
	chat: () => chatSchema().describe("People and channels of chat platforms: access and channel settings."),
	discord: () => discord().describe("Addresses of Discord. Set the token in the environment: DISCORD_TOKEN."),
	slack: () =>
		slack().describe(
			"Addresses of Slack. Set the tokens in the environment: SLACK_BOT_TOKEN and SLACK_APP_TOKEN, or SLACK_BOT_TOKEN and SLACK_SIGNING_SECRET.",
		),
	auth: () =>
		choice(authModes).describe(
			"Clients that need a token. With local, all clients except programs of the operator's own user on this machine. With token, all " +
				"clients. With none, no client. Default: local.",
		),
	sandbox: () =>
		choice(sandboxModes).describe(
			"Isolation of commands. With required, commands run in the sandbox or not at all. With preferred, commands run with the operator's " +
				"permissions if there is no sandbox, and each requires approval. With off, they always run that way. With container, the " +
				"container around the gateway is the boundary. Commands of chat users always need the sandbox or that container. Default: preferred.",
		),
	egress: () =>
		egress().describe(
			"Hosts that sandboxed commands can reach over https on port 443, through a proxy of the gateway. Without any host, a command " +
				"that requests the network runs outside the sandbox, if the sandbox mode allows that.",
		),
	mcp: () =>
		mcpSchema().describe(
			"Servers of the Model Context Protocol (MCP), whose tools agents can use. Each call requires approval by default.",
		),
	search: () =>
		searchSchema().describe(
			"Search engine of the tool web_search. Without it, agents have no such tool. Each search requires approval by default.",
		),
	commandUnixSockets: () =>
		z
			.boolean({ error: "true or false" })
			.describe(
				"Allow sandboxed commands to use Unix sockets. They can then also connect to a socket that another program creates " +
					"in a root while they run. Default: false.",
			),
	logLevel: () => choice(logLevels).describe("Minimum level of log lines on standard error. Default: info."),
	systemPromptFile: () =>
		string("a file").describe(
			"Markdown file that replaces the built-in system prompt. Relative to this file.",
		),
	policyFile: () =>
		string("a file").describe(
			"File with policy rules for tools, in JSON with comments. Relative to this file. Default: policy.jsonc in the data directory, if it exists.",
		),
	allowedHosts: () =>
		list("a host name or address, with or without :PORT", isHost).describe(
			"Further host names that clients may use for the gateway, with or without a port. Default: none.",
		),
	tls: () =>
		tls().describe("Certificate of the gateway. With it, listeners beyond this machine accept https only."),
	trustedProxies: () =>
		list("an IP address or a network such as 10.0.0.0/8", isNetwork).describe(
			"IP addresses and networks of proxies in front of the gateway. Only their X-Forwarded-For, X-Forwarded-Proto, X-Forwarded-Host and Forwarded headers are used. Default: none.",
		),
	publicUrl: () =>
		string(publicAddress)
			.refine((text) => parsePublicUrl(text) !== undefined, { error: publicAddress })
			.describe("Address of the gateway for people and browsers: https://HOST or https://HOST:PORT."),
	insecureLan: () =>
		z
			.boolean({ error: "true or false" })
			.describe(
				"Allow other machines to connect without TLS and without a proxy. Messages and the token can then be read on the network. Default: false.",
			),
};

type Shape = { [Name in keyof typeof settings]: ReturnType<(typeof settings)[Name]> };

/**
 * Returns the schema of the settings with these names, or of all. Its errors state the allowed values; the caller adds the
 * value and its place.
 */
export function configSchema(names: readonly string[] = Object.keys(settings)) {
	const made = Object.entries(settings).filter(([name]) => names.includes(name));
	// True for all names. A source without some of them has no values of another type there.
	const shape = Object.fromEntries(made.map(([name, make]) => [name, make()])) as Shape;
	return z.strictObject(shape).partial();
}

/** Settings of one source. Settings that it does not set are absent. */
export type Settings = z.infer<ReturnType<typeof configSchema>>;

/** Returns the names of the settings in a nested object of the schema, without old names. */
export function settingsAt(path: JsonPath): string[] {
	const schema = path.reduce<unknown>((outer, key) => unwrapped(innerOf(outer, key)), configSchema());
	if (!(schema instanceof z.ZodObject)) return [];
	return Object.entries(schema.shape).flatMap(([name, inner]) => (isOldName(inner) ? [] : [name]));
}

function isOldName(schema: unknown): boolean {
	const inner = unwrapped(schema);
	return inner instanceof z.ZodType && inner.meta()?.deprecated === true;
}

function innerOf(outer: unknown, key: string | number): unknown {
	if (outer instanceof z.ZodObject) return outer.shape[key];
	if (outer instanceof z.ZodArray) return outer.element;
	return outer instanceof z.ZodRecord ? outer.valueType : undefined;
}

function unwrapped(schema: unknown): unknown {
	return schema instanceof z.ZodOptional ? schema.unwrap() : schema;
}

function isEndpoint(text: string): boolean {
	return parseEndpoint(text) !== undefined;
}

function isHost(text: string): boolean {
	return isEndpoint(text) || isEndpoint(`${text}:80`);
}

/** Public origin of the gateway. Undefined for an invalid one: not https, or more than a host and a port. */
function parsePublicUrl(text: string): URL | undefined {
	const url = URL.parse(text);
	const isOrigin = url?.protocol === "https:" && url.hostname !== "" && url.href === `${url.origin}/`;
	// The parsed form of `https://host/?` is the same as without the question mark.
	return isOrigin && !/[?#]/.test(text) ? url : undefined;
}
