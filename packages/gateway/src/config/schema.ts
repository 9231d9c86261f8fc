import { logLevels } from "@parley/base";
import type { JsonPath } from "@parley/base/commented-json";
import { reasoningLevels, sandboxModes } from "@parley/core";
import * as z from "zod";
import { authModes } from "../auth/auth-mode.ts";
import { settingTexts } from "../texts/config/settings.ts";
import { allowedTexts } from "../texts/config/values.ts";
import { parseEndpoint } from "../transport/address.ts";
import { isNetwork } from "../transport/networks.ts";
import { parseApiUrl, parseBaseUrl } from "./base-url.ts";
import { chatSchema } from "./chat-schema.ts";
import { apis } from "./known-providers.ts";
import { mcpSchema } from "./mcp-schema.ts";
import { searchSchema } from "./search-settings.ts";
import { choice, dollars, hosts, integer, list, string } from "./setting-types.ts";

const providers = () =>
	z.record(
		string(allowedTexts.providerName).regex(/^[a-z][a-z0-9-]{0,30}$/, { error: allowedTexts.providerName }),
		z
			.strictObject({
				api: choice(apis).describe(settingTexts.providerApi),
				baseUrl: string(allowedTexts.apiAddress)
					.refine((text) => parseApiUrl(text) !== undefined, { error: allowedTexts.apiAddress })
					.describe(settingTexts.providerBaseUrl),
				key: string(allowedTexts.variableName)
					.regex(/^[A-Za-z_]\w*$/, { error: allowedTexts.variableName })
					.describe(settingTexts.providerKey),
			})
			.partial(),
	);

const models = () =>
	z
		.strictObject({
			fallback: list(allowedTexts.modelName).describe(settingTexts.fallback),
			providers: providers().describe(settingTexts.providers),
			file: string(allowedTexts.file).describe(settingTexts.modelsFile),
		})
		.partial();

const limits = (scope = "") => ({
	day: dollars().describe(settingTexts.budgetDay({ scope })),
	month: dollars().describe(settingTexts.budgetMonth({ scope })),
});

const budgets = () =>
	z
		.strictObject({
			...limits(),
			session: z
				.strictObject(limits(settingTexts.budgetSessionScope))
				.partial()
				.describe(settingTexts.budgetSession),
		})
		.partial();

const tls = () =>
	z.strictObject({
		cert: string(allowedTexts.certificateFile).describe(settingTexts.tlsCert),
		key: string(allowedTexts.certificateKeyFile).describe(settingTexts.tlsKey),
	});

const mebibyte = 1024 * 1024;

const files = () =>
	z
		.strictObject({
			maxBytes: integer(1, 1024 * mebibyte).describe(settingTexts.filesMaxBytes),
			quotaBytes: integer(1, 1024 * 1024 * mebibyte).describe(settingTexts.filesQuotaBytes),
			keepDays: integer(1, 3650).describe(settingTexts.filesUploadDays),
		})
		.partial();

const tasks = () =>
	z
		.strictObject({
			limit: integer(1, 64).describe(settingTexts.tasksLimit),
			minutes: integer(1, 7 * 24 * 60).describe(settingTexts.tasksMinutes),
			modelCalls: integer(1, 10_000).describe(settingTexts.tasksModelCalls),
		})
		.partial();

const egress = () =>
	z
		.strictObject({
			allow: hosts().describe(settingTexts.egressHosts),
		})
		.partial();

const discordAddress = (description: string): z.ZodString =>
	string(allowedTexts.serverAddress)
		.refine((text) => parseBaseUrl(text) !== undefined, { error: allowedTexts.serverAddress })
		.describe(settingTexts.discordAddress({ description }));

const discord = () =>
	z
		.strictObject({
			apiUrl: discordAddress(settingTexts.discordApiUrl),
			cdnUrl: discordAddress(settingTexts.discordCdnUrl),
		})
		.partial();

const slack = () =>
	z
		.strictObject({
			apiUrl: string(allowedTexts.serverAddress)
				.refine((text) => parseBaseUrl(text) !== undefined, { error: allowedTexts.serverAddress })
				.describe(settingTexts.slackApiUrl),
			listen: string(allowedTexts.slackListen)
				.refine(isEndpoint, { error: allowedTexts.slackListen })
				.describe(settingTexts.slackListen),
		})
		.partial();

const llama = () =>
	z
		.strictObject({
			endpoint: string(allowedTexts.serverAddress)
				.refine((text) => parseBaseUrl(text) !== undefined, { error: allowedTexts.serverAddress })
				.describe(settingTexts.llamaEndpoint),
			model_dir: string(allowedTexts.directory).describe(settingTexts.llamaModelDir),
			command: string(allowedTexts.program).describe(settingTexts.llamaCommand),
			args: list(allowedTexts.programArgument).describe(settingTexts.llamaArgs),
			autostart: z.boolean({ error: allowedTexts.trueOrFalse }).describe(settingTexts.llamaAutostart),
		})
		.partial();

/**
 * Functions that create the schemas of the settings. Creating only the schemas of a source's settings makes each
 * start faster.
 */
const settings = {
	$schema: () => string(allowedTexts.jsonSchemaAddress).describe(settingTexts.jsonSchema),
	listen: () =>
		list(allowedTexts.listen, isEndpoint)
			.min(1, { error: allowedTexts.oneListen })
			.describe(settingTexts.listen),
	data: () => string(allowedTexts.directory).describe(settingTexts.data),
	root: () => list(allowedTexts.directory).describe(settingTexts.root),
	provider: () => string(allowedTexts.providerOfModel).describe(settingTexts.provider),
	model: () => string(allowedTexts.modelName).describe(settingTexts.model),
	baseUrl: () =>
		string(allowedTexts.serverAddress)
			.refine((text) => parseBaseUrl(text) !== undefined, { error: allowedTexts.serverAddress })
			.describe(settingTexts.baseUrl),
	llama: () => llama().describe(settingTexts.llama),
	reasoning: () => choice(reasoningLevels).describe(settingTexts.reasoning),
	maxModelCalls: () => integer(1, 1000).describe(settingTexts.maxModelCalls),
	models: () => models().describe(settingTexts.models),
	budgets: () => budgets().describe(settingTexts.budgets),
	titles: () => z.boolean({ error: allowedTexts.trueOrFalse }).describe(settingTexts.titles),
	tasks: () => tasks().describe(settingTexts.tasks),
	files: () => files().describe(settingTexts.files),
	chat: () => chatSchema().describe(settingTexts.chat),
	discord: () => discord().describe(settingTexts.discord),
	slack: () => slack().describe(settingTexts.slack),
	auth: () => choice(authModes).describe(settingTexts.auth),
	sandbox: () => choice(sandboxModes).describe(settingTexts.sandbox),
	egress: () => egress().describe(settingTexts.egress),
	mcp: () => mcpSchema().describe(settingTexts.mcp),
	search: () => searchSchema().describe(settingTexts.search),
	commandUnixSockets: () =>
		z.boolean({ error: allowedTexts.trueOrFalse }).describe(settingTexts.commandUnixSockets),
	logLevel: () => choice(logLevels).describe(settingTexts.logLevel),
	systemPromptFile: () => string(allowedTexts.file).describe(settingTexts.systemPromptFile),
	policyFile: () => string(allowedTexts.file).describe(settingTexts.policyFile),
	allowedHosts: () => list(allowedTexts.hostName, isHost).describe(settingTexts.allowedHosts),
	tls: () => tls().describe(settingTexts.tls),
	trustedProxies: () => list(allowedTexts.network, isNetwork).describe(settingTexts.trustedProxies),
	publicUrl: () =>
		string(allowedTexts.publicAddress)
			.refine((text) => parsePublicUrl(text) !== undefined, { error: allowedTexts.publicAddress })
			.describe(settingTexts.publicUrl),
	insecureLan: () => z.boolean({ error: allowedTexts.trueOrFalse }).describe(settingTexts.insecureLan),
};

type Shape = { [Name in keyof typeof settings]: ReturnType<(typeof settings)[Name]> };

/**
 * Returns the schema of the settings in `names`. Default: all settings. The schema's errors state the allowed values,
 * and the caller adds the refused value and its position.
 */
export function configSchema(names: readonly string[] = Object.keys(settings)) {
	const makers = Object.entries(settings).filter(([name]) => names.includes(name));
	// The cast is safe if `names` contains all settings. With fewer names, the missing settings are absent in the result.
	const shape = Object.fromEntries(makers.map(([name, make]) => [name, make()])) as Shape;
	return z.strictObject(shape).partial();
}

/** Settings of one source. Settings that the source does not set are absent. */
export type Settings = z.infer<ReturnType<typeof configSchema>>;

/** Returns the names of the settings in the object at a path of the schema, without deprecated names. */
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

/** Returns the URL of an https origin, or undefined for any other text. */
function parsePublicUrl(text: string): URL | undefined {
	const url = URL.parse(text);
	const isOrigin = url?.protocol === "https:" && url.hostname !== "" && url.href === `${url.origin}/`;
	// The parsed form of `https://host/?` has no question mark, so the text is checked, too.
	return isOrigin && !/[?#]/.test(text) ? url : undefined;
}
