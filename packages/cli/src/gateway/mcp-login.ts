import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import {
	createIds,
	defined,
	definedItems,
	ParleyError,
	Redactor,
	silentLogger,
	systemClock,
} from "@parley/base";
import {
	beginLogin,
	loginKey,
	type McpRemoteSettings,
	type PendingLogin,
	trustedServers,
} from "@parley/core";
import { McpFiles, McpLoginFile, mcpFileIn, mcpLoginsIn, noteChange } from "@parley/gateway";
import type { Io } from "../command-line/io.ts";
import { printJson, printRows } from "../command-line/output.ts";
import { withStoredKeys } from "../command-line/stored-keys.ts";
import { UsageError } from "../command-line/usage.ts";
import { visibleLine } from "../text/visible.ts";
import { withoutQuery } from "../text/without-query.ts";
import { mcpLoginTexts } from "../texts/gateway/mcp.ts";
import { type LoginListener, listenForLogin } from "./login-answer.ts";
import { type LoginFlags, usualAgent } from "./mcp-flags.ts";
import { endLogin, unrevokedNote } from "./mcp-logout.ts";
import { readConfig } from "./run-gateway.ts";

/** Time limit of a login in milliseconds. */
const longestLoginMs = 10 * 60_000;

/**
 * Logs in to a remote server, and stores the login. A person opens an address in a browser. The browser then returns
 * to this machine, or the person pastes the final address.
 */
export async function logIn(name: string, flags: LoginFlags, io: Io): Promise<void> {
	const { data, servers, logins, problems } = await openLogins(flags, io);
	const server = servers.find((one) => one.name === name);
	if (server === undefined) throw noServer(name, servers, problems);
	if (server.headers["authorization"] !== undefined)
		throw new UsageError(
			mcpLoginTexts.noLoginNeeded({ server: name, isInFile: server.directory !== undefined }),
		);
	const client = clientOf(flags, io);
	const listener = await listenForLogin(flags.port ?? 0);
	try {
		const pending = await beginLogin(server, {
			redirectUrl: listener.url,
			privateHosts: flags.privateHost ?? [],
			...defined({ client, scope: flags.scope }),
			clock: systemClock,
			ids: createIds(),
		});
		try {
			const login = await pending.finish(await waitForAnswer(pending, listener, io));
			const facts = { url: withoutQuery(login.url), issuer: login.server.issuer };
			const place = defined({ directory: server.directory });
			await noteChange(data, { action: "mcp.login", object: name, facts: { ...facts, ...place } }, noteDeps);
			await logins.change(loginKey(server), () => Promise.resolve(login));
		} finally {
			await pending.close();
		}
	} finally {
		listener.close();
	}
	if (flags.json) printJson({ loggedIn: name }, io);
	else printRows([mcpLoginTexts.loggedIn({ server: name })], io);
}

/** Removes the login for a server, and tries to revoke its tokens. Rejects if no login exists. */
export async function logOut(name: string, flags: LoginFlags, io: Io): Promise<void> {
	const { data, servers, logins, directory } = await openLogins(flags, io);
	// A login may remain from a server that is no longer trusted or was removed.
	const places = definedItems([flags.dir === undefined ? { name } : undefined, { name, directory }]);
	for (const place of places) {
		const allowPrivate = servers.some((one) => loginKey(one) === loginKey(place) && one.allowPrivate);
		const end = await endLogin(place, allowPrivate, { data, logins });
		if (!end) continue;
		if (flags.json) return printJson({ loggedOut: name, revoked: end.isRevoked }, io);
		return printRows([mcpLoginTexts.loggedOut({ server: name, note: unrevokedNote(end) })], io);
	}
	throw new UsageError(mcpLoginTexts.noLogin({ server: name }));
}

const noteDeps = { clock: systemClock, ids: createIds() };

interface Logins {
	readonly data: string;
	/** The working directory whose servers are included. */
	readonly directory: string;
	/**
	 * Remote servers. Servers of the operator and of the agent are first. They override a server of the directory if the
	 * names are equal. With `--dir`, only servers of the directory.
	 */
	readonly servers: readonly McpRemoteSettings[];
	/** Reasons why trusted servers of the directory cannot be used. */
	readonly problems: readonly string[];
	readonly logins: McpLoginFile;
}

async function openLogins(flags: LoginFlags, io: Io): Promise<Logins> {
	const { data, mcp: configured = [] } = await readConfig(defined({ data: flags.data }), io);
	const redactor = new Redactor();
	const { environment } = await withStoredKeys(io, flags.data);
	const source = new McpFiles({
		path: mcpFileIn(data),
		logins: mcpLoginsIn(data),
		configured,
		environment,
		redactor,
		log: silentLogger,
	});
	const { servers, ofAgent = [], trusted } = await source.current(flags.agent ?? usualAgent);
	const place = resolve(io.cwd, flags.dir ?? ".");
	const directory = await realpath(place).catch(() => place);
	const local = await trustedServers(directory, trusted, environment["PATH"]);
	const own = flags.dir === undefined ? [...servers, ...ofAgent] : [];
	const all = [...own, ...local.servers];
	return {
		data,
		directory,
		servers: all.filter((one) => "url" in one),
		problems: local.problems,
		logins: new McpLoginFile({ data, clock: systemClock, redactor }),
	};
}

function noServer(
	name: string,
	servers: readonly McpRemoteSettings[],
	problems: readonly string[],
): UsageError {
	const known = servers.map((one) => one.name).join(", ") || "none";
	const problem = problems.find((one) => one.startsWith(`${name}: `));
	return new UsageError(problem ?? mcpLoginTexts.noRemoteServer({ server: name, known }));
}

function clientOf({ clientId, clientSecretFrom }: LoginFlags, io: Io) {
	if (clientId === undefined) {
		if (clientSecretFrom === undefined) return undefined;
		throw new UsageError(mcpLoginTexts.secretWithoutClient);
	}
	const secret = clientSecretFrom === undefined ? undefined : io.environment[clientSecretFrom];
	if (clientSecretFrom !== undefined && !secret)
		throw new UsageError(mcpLoginTexts.noSecretVariable({ variable: clientSecretFrom }));
	return { client_id: clientId, ...defined({ client_secret: secret }) };
}

/**
 * Waits until the browser on this machine sends the answer, or a person pastes it. Rejects with
 * `deadline_exceeded` after 10 minutes.
 */
async function waitForAnswer(
	pending: PendingLogin,
	listener: LoginListener,
	io: Io,
): Promise<URLSearchParams> {
	const rows = [
		mcpLoginTexts.openAddress({ host: pending.url.host, resource: visibleLine(pending.resource) }),
		"",
		pending.url.href,
		"",
		mcpLoginTexts.returnsHere,
		mcpLoginTexts.copyAddress,
	];
	io.stderr.write(rows.map((row) => `${row}\n`).join(""));
	const late = Promise.withResolvers<never>();
	const timer = systemClock.after(longestLoginMs, () =>
		late.reject(new ParleyError(mcpLoginTexts.notFinished, { code: "deadline_exceeded" })),
	);
	const pasted = Promise.withResolvers<URLSearchParams>();
	const lines = createInterface({ input: io.stdin });
	lines.on("line", (line) => {
		const answer = URL.parse(line.trim())?.searchParams;
		if (answer && pending.matchesState(answer)) pasted.resolve(answer);
		else if (line.trim() !== "") io.stderr.write(`${mcpLoginTexts.otherAddress}\n`);
	});
	try {
		return await Promise.race([listener.answer(pending.matchesState), pasted.promise, late.promise]);
	} finally {
		timer.cancel();
		lines.close();
	}
}
