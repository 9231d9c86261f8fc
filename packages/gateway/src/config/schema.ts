import { logLevels } from "@parley/base";
import type { JsonPath } from "@parley/base/commented-json";
import { readAllowedHost, reasoningLevels, sandboxModes } from "@parley/core";
import * as z from "zod";
import { authModes } from "../auth/auth-mode.ts";
import { parseEndpoint } from "../transport/address.ts";
import { isNetwork } from "../transport/networks.ts";
import { parseBaseUrl } from "./base-url.ts";
import { chatSchema } from "./chat-schema.ts";
import { parsePublicUrl } from "./public-url.ts";
import { choice, dollars, list, string, wholeNumber } from "./setting-types.ts";

/** Who answers: `auto` is anthropic where a key or a base URL is given, else offline, which is inside the gateway. */
const providers = ["auto", "anthropic", "offline"] as const;

const models = () =>
	z
		.strictObject({
			fallback: list("the name of a model").describe(
				"Models that answer where the first stays unable to, in this order.",
			),
			file: string("a file").describe(
				"JSON with models that the built-in table lacks, or has wrong. Relative to this file. models.json in the data directory where there is one.",
			),
		})
		.partial();

const limits = () => ({
	day: dollars().describe("US dollars in one UTC day."),
	month: dollars().describe("US dollars in one UTC month."),
});

const budgets = () =>
	z
		.strictObject({
			...limits(),
			session: z.strictObject(limits()).partial().describe("The same for each conversation."),
		})
		.partial();

const tls = () =>
	z.strictObject({
		cert: string("a file with the certificate, in PEM form, beside tls.key").describe(
			"The certificate and those between it and its authority, in PEM form. Relative to this file.",
		),
		key: string("a file with the certificate's private key, in PEM form, beside tls.cert").describe(
			"The certificate's private key, in PEM form, which nobody else may read. Relative to this file.",
		),
	});

const publicAddress = "an https address without a path, such as https://parley.example";

const mebibyte = 1024 * 1024;

const files = () =>
	z
		.strictObject({
			maxBytes: wholeNumber(1, 1024 * mebibyte).describe("Bytes that one file may have. 32 MiB unless told."),
			quotaBytes: wholeNumber(1, 1024 * 1024 * mebibyte).describe(
				"Bytes that all kept files may have together, each counted as 4 KiB at least. 1 GiB unless told.",
			),
			keepDays: wholeNumber(1, 3650).describe(
				"Days that a file is kept which no message has carried yet. 7 unless told. Others stay as long as their session.",
			),
		})
		.partial();

const tasks = () =>
	z
		.strictObject({
			limit: wholeNumber(1, 64).describe(
				"Tasks that are worked on at a time, all workers counted. 4 unless told.",
			),
			minutes: wholeNumber(1, 7 * 24 * 60).describe(
				"Minutes that a task may work, waiting for people and for workers not counted. 120 unless told.",
			),
			modelCalls: wholeNumber(1, 10_000).describe(
				"How often a task calls its model at most, before it ends with what it has. 200 unless told.",
			),
		})
		.partial();

const hostOfCommands = "the name of a host such as packages.example.org, or *. and a name for all below it";

const egress = () =>
	z
		.strictObject({
			allow: list(hostOfCommands, (text) => readAllowedHost(text) !== undefined).describe(
				"Hosts: a name such as packages.example.org, or *.githubusercontent.com for all below that name.",
			),
		})
		.partial();

const serverAddress =
	"an http or https address such as http://127.0.0.1:8080, without a user name or a query";

const discordAddress = (what: string): z.ZodString =>
	string(serverAddress)
		.refine((text) => parseBaseUrl(text) !== undefined, { error: serverAddress })
		.describe(`${what} Discord's own unless told.`);

const discord = () =>
	z
		.strictObject({
			apiUrl: discordAddress("The address of its REST API, without the version."),
			cdnUrl: discordAddress("The address that attachments are read from."),
		})
		.partial();

const slack = () =>
	z
		.strictObject({
			apiUrl: string(serverAddress)
				.refine((text) => parseBaseUrl(text) !== undefined, { error: serverAddress })
				.describe("The address of its Web API, with /api. Slack's own unless told."),
			listen: string("HOST:PORT, for instance 127.0.0.1:3000")
				.refine(isEndpoint, { error: "HOST:PORT, for instance 127.0.0.1:3000" })
				.describe(
					"Where to wait for what Slack sends, where SLACK_SIGNING_SECRET is set instead of SLACK_APP_TOKEN.",
				),
		})
		.partial();

const llama = () =>
	z
		.strictObject({
			endpoint: string(serverAddress)
				.refine((text) => parseBaseUrl(text) !== undefined, { error: serverAddress })
				.describe("The address of the server. http://127.0.0.1:8080 unless set."),
			model_dir: string("a directory").describe(
				"The directory with models. The server starts in it, and gets it as LLAMA_ARG_MODELS_DIR. Relative to this file.",
			),
			command: string("the name or path of a program such as llama-server").describe(
				"The program to start. A path is relative to this file. Without it the gateway starts no server.",
			),
			args: list("an argument of the program").describe(
				'Arguments of the program, for example ["-m", "model.gguf", "--jinja"]. Do not name host and port: they come from the endpoint.',
			),
			autostart: z
				.boolean({ error: "true or false" })
				.describe(
					"Whether the program starts with the gateway. If false, it starts with the first request. true unless set.",
				),
		})
		.partial();

/** Each is made when a source says it: to make all of them is a good part of a start. */
const settings = {
	$schema: () => string("the address of this schema").describe("Where editors find what is allowed here."),
	listen: () =>
		list("HOST:PORT, for instance 127.0.0.1:7777 or [::1]:7777; port 0 takes a free one", isEndpoint)
			.min(1, { error: "at least one HOST:PORT" })
			.describe(
				"Where to listen: HOST:PORT, IPv6 in brackets, port 0 for a free one. 127.0.0.1:7777 unless told.",
			),
	data: () => string("a directory").describe("Where conversations and tokens live. Relative to this file."),
	root: () =>
		list("a directory").describe(
			"Directories that tools may touch. Relative to this file. The directory of the start unless told.",
		),
	provider: () =>
		choice(providers).describe(
			"Who answers: anthropic needs a key (ANTHROPIC_API_KEY) or a base URL, offline needs nothing. " +
				"auto, the default, takes anthropic where it can.",
		),
	model: () =>
		string("the name of a model").describe(
			"Which of the provider's models answers: a name or a tier (fast, standard, max).",
		),
	baseUrl: () =>
		string(serverAddress)
			.refine((text) => parseBaseUrl(text) !== undefined, { error: serverAddress })
			.describe(
				"A server that speaks the Messages API, to be asked instead of Anthropic's own. " +
					"Where no model is named it has to have just one.",
			),
	llama: () =>
		llama().describe(
			"A local model server with the interface of llama-server. Its models answer. Its key, if it needs one, is LLAMA_API_KEY " +
				"in the environment.",
		),
	reasoning: () => choice(reasoningLevels).describe("How much models think before they answer."),
	maxModelCalls: () =>
		wholeNumber(1, 1000).describe(
			"How often a turn calls its model at most, before it ends with what it has. 50 unless told.",
		),
	models: () => models().describe("Models besides the first, and what is known of models."),
	budgets: () => budgets().describe("What models may cost. At the end of a budget no model is called."),
	titles: () =>
		z
			.boolean({ error: "true or false" })
			.describe(
				"Whether a model names conversations that nobody has named, which takes one short call each. true unless told.",
			),
	tasks: () => tasks().describe("Work in the background: how much of it there may be."),
	files: () =>
		files().describe("Files that people and tools hand over: how much of them is kept, and how long."),
	chat: () =>
		chatSchema().describe("People and channels of chat platforms: who may come in, and how channels work."),
	discord: () => discord().describe("Discord. Its token comes from the environment alone: DISCORD_TOKEN."),
	slack: () =>
		slack().describe("Slack. Its tokens come from the environment alone: SLACK_BOT_TOKEN, SLACK_APP_TOKEN."),
	auth: () =>
		choice(authModes).describe(
			"Who needs a token: all but this user's own programs (local, the default), everybody (token), nobody (none).",
		),
	sandbox: () =>
		choice(sandboxModes).describe(
			"What confines commands: a sandbox or nothing runs (required), a sandbox where there is one (preferred, the default), " +
				"nothing (off), or the container around the gateway, which you declare to be the boundary (container). " +
				"For people of chat platforms a sandbox, or that container, is always required.",
		),
	egress: () =>
		egress().describe(
			"What commands in the sandbox may reach when they ask for the network: https on these hosts of the internet, " +
				"through a proxy of the gateway. Without any, such a command leaves the sandbox, where it may.",
		),
	commandUnixSockets: () =>
		z
			.boolean({ error: "true or false" })
			.describe(
				"Whether commands in the sandbox may use Unix sockets. They then also reach a socket that another program makes " +
					"in a root while they run. false unless set.",
			),
	logLevel: () => choice(logLevels).describe("How much is written to standard error. info unless told."),
	systemPromptFile: () => string("a file").describe("Markdown to use instead of the built-in system prompt."),
	policyFile: () =>
		string("a file").describe(
			"Rules about what tools may do, in JSON with comments. Relative to this file. policy.jsonc in the data directory unless told.",
		),
	allowedHosts: () =>
		list("a host name or address, with or without :PORT", isHost).describe(
			"Further names by which clients may call the gateway, each with or without a port.",
		),
	tls: () => tls().describe("The gateway's own certificate: beyond this machine it then speaks https alone."),
	trustedProxies: () =>
		list("an IP address or a network such as 10.0.0.0/8", isNetwork).describe(
			"Proxies in front of the gateway, whose word on who calls and how (X-Forwarded-For, X-Forwarded-Proto) counts.",
		),
	publicUrl: () =>
		string(publicAddress)
			.refine((text) => parsePublicUrl(text) !== undefined, { error: publicAddress })
			.describe(
				"Where people and browsers reach the gateway through a proxy: https://HOST or https://HOST:PORT.",
			),
	insecureLan: () =>
		z
			.boolean({ error: "true or false" })
			.describe(
				"Lets other machines reach a listener without TLS and proxy: all that is said, and the token, can be read on its way.",
			),
};

type Shape = { [Name in keyof typeof settings]: ReturnType<(typeof settings)[Name]> };

/**
 * The settings of these names, or all. The errors of the schema say what is allowed; whoever prints them adds what was
 * found, and where.
 */
export function configSchema(names: readonly string[] = Object.keys(settings)) {
	const made = Object.entries(settings).filter(([name]) => names.includes(name));
	// True of all names; a source that leaves some out has nothing there that could be of another type.
	const shape = Object.fromEntries(made.map(([name, make]) => [name, make()])) as Shape;
	return z.strictObject(shape).partial();
}

/** One source's settings: what is not set there is left out. */
export type Settings = z.infer<ReturnType<typeof configSchema>>;

/** The names of the settings in a nested object of the schema. */
export function settingsAt(path: JsonPath): string[] {
	const schema = path.reduce<unknown>((outer, key) => unwrapped(innerOf(outer, key)), configSchema());
	return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
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
