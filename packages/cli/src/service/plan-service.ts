import { existsSync, realpathSync, statSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { ParleyError } from "@parley/base";
import { defined, definedItems } from "@parley/base/defined";
import { chosenDataDirectory } from "../command-line/data-directory.ts";
import type { Io } from "../command-line/io.ts";
import { checkRoots } from "../gateway/check-roots.ts";
import type { GatewayFlags } from "../gateway/gateway-flags.ts";
import { readConfig } from "../gateway/run-gateway.ts";
import { findInstallation, type Installation } from "../installation/installation.ts";
import { serviceErrors } from "../texts/service.ts";
import { readEnvironmentFile } from "./environment-file.ts";
import type { Machine } from "./machine.ts";
import type { Scope, ServicePlan } from "./service-plan.ts";
import { systemData } from "./systemd-unit.ts";

export interface InstallFlags extends GatewayFlags {
	readonly system?: boolean;
	readonly name: string;
	/** Account under which a system service runs. */
	readonly user?: string;
	readonly envFile?: string;
	/** Names of shell variables to store in the file with keys. */
	readonly env?: readonly string[];
	readonly dryRun?: boolean;
	readonly json?: boolean;
}

/** Shell variables, besides those of Parley, that are copied into the description of a service. */
const shellNames = [
	"PATH",
	"LANG",
	"LC_ALL",
	"TZ",
	"NODE_EXTRA_CA_CERTS",
	"NODE_USE_ENV_PROXY",
	"ANTHROPIC_BASE_URL",
];
/** Pattern for the names of variables that may contain a secret. PARLEY_TLS_KEY contains only the path of a file. */
const secretName = /TOKEN|(?<!^PARLEY_TLS_)KEY|SECRET|PASSWORD/;
/** Variables that only clients use, and the data directory, which the gateway receives as an argument. */
const clientNames = ["PARLEY_DATA", "PARLEY_TOKEN", "PARLEY_URL"];

/**
 * Resolves with the plan of a service that runs a gateway like `parley start` in this shell. Rejects if the
 * configuration is invalid.
 */
export async function planService(
	flags: InstallFlags,
	{ io, machine, version }: { readonly io: Io; readonly machine: Machine; readonly version: string },
): Promise<ServicePlan> {
	const scope: Scope = flags.system ? "system" : "user";
	const data = await dataOf(flags, scope, io);
	const environmentFile = resolve(io.cwd, flags.envFile ?? usualEnvironmentFile(flags.name, scope, data));
	const user = flags.system ? await accountOf(flags.user, machine) : undefined;
	const environment = shellVariables(io.environment);
	const roots = await checkedRoots(
		{ ...flags, data },
		{ ...io, environment: { ...io.environment, ...(await readEnvironmentFile(environmentFile)) } },
	);
	return defined({
		name: flags.name,
		scope,
		version,
		argv: [
			...programOf(process.execPath, findInstallation(), io.environment),
			"gateway",
			"--connectors",
			...gatewayArguments({ ...flags, data }, io.cwd),
		],
		// The account of a system service often has no access to the directory in which the service was installed, for
		// example /root.
		workingDirectory: (flags.system ? roots[0] : undefined) ?? io.cwd,
		environment,
		environmentFile,
		data,
		user,
		needsSetuid: hasSetuidSandbox(),
	});
}

async function dataOf({ data, system }: InstallFlags, scope: Scope, io: Io): Promise<string> {
	if (scope === "user" || data !== undefined || io.environment["PARLEY_DATA"] || !system)
		return chosenDataDirectory(data, io);
	return systemData;
}

function usualEnvironmentFile(name: string, scope: Scope, data: string): string {
	// The file of a system service is outside of its data directory, because root reads this file, and the account
	// does not own it.
	return scope === "system" ? `/etc/${name}.env` : join(data, "service.env");
}

/**
 * Returns the account of a system service, by default the user who runs `sudo`. Rejects with `invalid_argument` if the
 * account does not exist, or if it is root, because unsandboxed commands have the permissions of the gateway.
 */
export async function accountOf(user: string | undefined, { environment, run }: Machine): Promise<string> {
	const account = user || environment["SUDO_USER"] || "";
	const { code, output } = await run("id", ["-u", "--", account]);
	if (code === 0 && Number(output) > 0) return account;
	throw new ParleyError(serviceErrors.noAccount({ account }), { code: "invalid_argument" });
}

/** Resolves with the configured roots. Rejects if the gateway could not start with them. */
async function checkedRoots(flags: InstallFlags, io: Io): Promise<readonly string[]> {
	const {
		system: _,
		name: _name,
		user: _user,
		envFile: _file,
		env: _env,
		dryRun: _run,
		json: _json,
		...rest
	} = flags;
	const { root } = await readConfig(rest, io);
	await checkRoots(root, io.cwd);
	return root;
}

/** Returns the variables in `shellNames`, and the variables for Parley except secrets and `clientNames`. */
export function shellVariables(environment: Io["environment"]): Record<string, string> {
	const names = Object.keys(environment).filter(
		(name) =>
			shellNames.includes(name) ||
			(name.startsWith("PARLEY_") && !clientNames.includes(name) && !secretName.test(name)),
	);
	const variables = names.sort().map((name) => [name, environment[name] ?? ""] as const);
	return Object.fromEntries(
		variables.map(([name, value]) => [name, name === "PATH" ? withoutPackages(value) : value]),
	);
}

/**
 * Removes the directories that npx and npm add for packages from a PATH, because a service must not depend on
 * them.
 */
function withoutPackages(path: string): string {
	const directories = path
		.split(delimiter)
		.filter((directory) => !/[\\/](?:node_modules|node-gyp-bin)(?:[\\/]|$)/.test(directory));
	return [...new Set(directories)].join(delimiter);
}

const pathFlags = {
	root: "--root",
	config: "--config",
	policy: "--policy",
	tlsCert: "--tls-cert",
	tlsKey: "--tls-key",
} as const;
const otherFlags = {
	listen: "--listen",
	provider: "--provider",
	model: "--model",
	baseUrl: "--base-url",
	reasoning: "--reasoning",
	auth: "--auth",
	sandbox: "--sandbox",
	trustedProxy: "--trusted-proxy",
	publicUrl: "--public-url",
	logLevel: "--log-level",
	testHooks: "--test-hooks",
} as const;

/** Returns the flags of the gateway's command, with absolute paths. */
function gatewayArguments(flags: InstallFlags & { readonly data: string }, cwd: string): string[] {
	const paths = Object.entries(pathFlags).flatMap(([key, flag]) =>
		listOf(flags[key as keyof typeof pathFlags]).flatMap((value) => [flag, resolve(cwd, value)]),
	);
	const others = Object.entries(otherFlags).flatMap(([key, flag]) =>
		listOf(flags[key as keyof typeof otherFlags]).flatMap((value) => [flag, value]),
	);
	return definedItems([
		"--data",
		flags.data,
		...paths,
		...others,
		flags.insecureLan ? "--insecure-lan" : undefined,
	]);
}

function listOf(value: string | readonly string[] | undefined): readonly string[] {
	return value === undefined ? [] : typeof value === "string" ? [value] : value;
}

/**
 * Returns the Node and the program of this command. Prefers a Node path that stays the same after an upgrade, for
 * example /usr/bin/node, to the path of the current version. Throws for a copy in the cache of npx, because npm may
 * delete this copy.
 */
export function programOf(
	node: string,
	{ kind, program }: { readonly kind: Installation["kind"]; readonly program: string },
	{ PATH = "" }: Io["environment"],
): [node: string, program: string] {
	if (kind === "npx") {
		throw new ParleyError(serviceErrors.temporaryCopy({ program }), { code: "failed_precondition" });
	}
	const inClone = resolve(program, "../../../../node_modules/.bin/node");
	const candidates = [inClone, ...PATH.split(delimiter).map((directory) => join(directory, "node"))];
	const same = candidates.find(
		(path) => path.startsWith("/") && existsSync(path) && realpathSync(path) === realpathSync(node),
	);
	return [same ?? node, program];
}

function hasSetuidSandbox(): boolean {
	return ["/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap"].some((path) => {
		// On old systems, bubblewrap gets its permissions from the setuid bit.
		const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
		return (mode & 0o4000) !== 0;
	});
}
