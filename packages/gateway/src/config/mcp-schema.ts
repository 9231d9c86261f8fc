import { mcpNamePattern } from "@parley/core";
import * as z from "zod";
import { list, string, wholeNumber } from "./setting-types.ts";

const nameOfServer = "1 to 32 lower-case letters, digits and -";
const nameOfVariable = "the name of a variable such as GITHUB_TOKEN";
const variablePattern = /^[A-Za-z_][A-Za-z0-9_]*$/;

const isVariable = (text: string): boolean => variablePattern.test(text);

export const mcpServerSchema = () =>
	z.strictObject({
		command: string("the name or path of a program").describe(
			"Program to start in the sandbox: a name in PATH, or a path relative to this file.",
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
		})
		.partial();
