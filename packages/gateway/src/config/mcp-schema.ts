import { mcpNamePattern } from "@parley/core";
import * as z from "zod";
import { mcpSettingTexts } from "../texts/config/settings.ts";
import { allowedTexts } from "../texts/config/values.ts";
import { hosts, integer, list, string } from "./setting-types.ts";

const variablePattern = /^[A-Za-z_][A-Za-z0-9_]*$/;

const isVariable = (text: string): boolean => variablePattern.test(text);

function isRemoteAddress(text: string): boolean {
	const url = URL.parse(text);
	return url !== null && /^https?:$/.test(url.protocol) && url.username + url.password === "";
}

export const mcpServerShape = () =>
	z.strictObject({
		command: z.exactOptional(string(allowedTexts.mcpProgram).describe(mcpSettingTexts.command)),
		url: z.exactOptional(
			string(allowedTexts.remoteAddress)
				.refine(isRemoteAddress, { error: allowedTexts.remoteAddress })
				.describe(mcpSettingTexts.url),
		),
		tokenFrom: z.exactOptional(
			string(allowedTexts.environmentVariable)
				.refine(isVariable, { error: allowedTexts.environmentVariable })
				.describe(mcpSettingTexts.tokenFrom),
		),
		allowPrivate: z.exactOptional(
			z.boolean({ error: allowedTexts.trueOrFalse }).describe(mcpSettingTexts.allowPrivate),
		),
		args: z.exactOptional(list(allowedTexts.programArgument).describe(mcpSettingTexts.args)),
		env: z.exactOptional(
			z
				.record(
					string(allowedTexts.environmentVariable).refine(isVariable, {
						error: allowedTexts.environmentVariable,
					}),
					z.string({ error: "a text" }),
					{
						error: allowedTexts.environment,
					},
				)
				.describe(mcpSettingTexts.env),
		),
		envFrom: z.exactOptional(
			list(allowedTexts.environmentVariable, isVariable).describe(mcpSettingTexts.envFrom),
		),
		read: z.exactOptional(list(allowedTexts.path).describe(mcpSettingTexts.read)),
		write: z.exactOptional(list(allowedTexts.directory).describe(mcpSettingTexts.write)),
		hosts: z.exactOptional(hosts().describe(mcpSettingTexts.hosts)),
		timeoutSeconds: z.exactOptional(integer(1, 3600).describe(mcpSettingTexts.timeout)),
	});

type Written = z.output<ReturnType<typeof mcpServerShape>>;

function isOneKind({
	command,
	args,
	env,
	envFrom,
	read,
	write,
	hosts,
	url,
	tokenFrom,
	allowPrivate,
}: Written): boolean {
	const isProgram = [args, env, envFrom, read, write, hosts].some((value) => value !== undefined);
	const isRemote = [tokenFrom, allowPrivate].some((value) => value !== undefined);
	return command === undefined ? url !== undefined && !isProgram : url === undefined && !isRemote;
}

const mcpServerSchema = () => mcpServerShape().refine(isOneKind, { error: allowedTexts.commandOrUrl });

export const mcpServersSchema = () =>
	z.record(
		string(allowedTexts.mcpServerName).regex(mcpNamePattern, { error: allowedTexts.mcpServerName }),
		mcpServerSchema(),
		{
			error: allowedTexts.mcpServers({ name: allowedTexts.mcpServerName }),
		},
	);

export const mcpSchema = () =>
	z
		.strictObject({
			servers: mcpServersSchema().describe(mcpSettingTexts.servers),
			approvalForms: z.boolean({ error: allowedTexts.trueOrFalse }).describe(mcpSettingTexts.forms),
		})
		.partial();
