import { mcpNamePattern } from "@parley/core";
import * as z from "zod";
import { list, string, wholeNumber } from "./setting-types.ts";

const nameOfServer = "1 to 32 lower-case letters, digits and -";
const nameOfVariable = "the name of a variable such as GITHUB_TOKEN";
const variablePattern = /^[A-Za-z_][A-Za-z0-9_]*$/;

const isVariable = (text: string): boolean => variablePattern.test(text);

const remoteAddress = "an https address such as https://mcp.example.com/mcp, without a user name";

function isRemoteAddress(text: string): boolean {
	const url = URL.parse(text);
	return url !== null && /^https?:$/.test(url.protocol) && url.username + url.password === "";
}

/** All settings of a server. */
export const mcpServerShape = () =>
	z.strictObject({
		command: z.exactOptional(
			string("the name or path of a program").describe(
				"Program to start in the sandbox: a name in PATH, or a path relative to this file.",
			),
		),
		url: z.exactOptional(
			string(remoteAddress)
				.refine(isRemoteAddress, { error: remoteAddress })
				.describe("Address of a remote server, in place of a command."),
		),
		tokenFrom: z.exactOptional(
			string(nameOfVariable)
				.refine(isVariable, { error: nameOfVariable })
				.describe(
					"Variable of the gateway's environment with the bearer token for the url. Default: no token.",
				),
		),
		allowPrivate: z.exactOptional(
			z
				.boolean({ error: "true or false" })
				.describe(
					"Allow a url with http, or with an address of this machine or of its networks. Default: false.",
				),
		),
		args: z.exactOptional(
			list("an argument of the program").describe("Arguments of the program. Default: none."),
		),
		env: z.exactOptional(
			z
				.record(
					string(nameOfVariable).refine(isVariable, { error: nameOfVariable }),
					z.string({ error: "a text" }),
					{
						error: "an object with the names of variables and their values",
					},
				)
				.describe("Variables of the program. Do not write secrets here: use envFrom."),
		),
		envFrom: z.exactOptional(
			list(nameOfVariable, isVariable).describe(
				"Variables of the gateway's environment that the program also gets, for example a token.",
			),
		),
		read: z.exactOptional(
			list("a file or a directory").describe(
				"Files and directories that the program can read. Relative to this file. Default: only programs of the system.",
			),
		),
		write: z.exactOptional(
			list("a directory").describe(
				"Directories that the program can change. It starts in the first one. Relative to this file. Default: none.",
			),
		),
		timeoutSeconds: z.exactOptional(
			wholeNumber(1, 3600).describe("Seconds until a call fails. Default: 120."),
		),
	});

type Written = z.output<ReturnType<typeof mcpServerShape>>;

/** Whether all settings belong to one kind of server. */
function isOneKind({
	command,
	args,
	env,
	envFrom,
	read,
	write,
	url,
	tokenFrom,
	allowPrivate,
}: Written): boolean {
	const isProgram = [args, env, envFrom, read, write].some((value) => value !== undefined);
	const isRemote = [tokenFrom, allowPrivate].some((value) => value !== undefined);
	return command === undefined ? url !== undefined && !isProgram : url === undefined && !isRemote;
}

const oneKind =
	"a command with args, env, envFrom, read and write, or a url with tokenFrom and allowPrivate, but not both";

const mcpServerSchema = () => mcpServerShape().refine(isOneKind, { error: oneKind });

export const mcpServersSchema = () =>
	z.record(string(nameOfServer).regex(mcpNamePattern, { error: nameOfServer }), mcpServerSchema(), {
		error: `an object whose keys are names of servers: ${nameOfServer}`,
	});

export const mcpSchema = () =>
	z
		.strictObject({
			servers: mcpServersSchema().describe(
				"Servers by name. The name is the first part of the names of the tools: files__read_file.",
			),
			approvalForms: z
				.boolean({ error: "true or false" })
				.describe(
					"Show usual approvals as forms to the person at a client of the MCP server of this gateway. Only for clients that never answer a form themselves. Default: false.",
				),
		})
		.partial();
