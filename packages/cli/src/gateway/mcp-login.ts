import { createInterface } from "node:readline";
import { createIds, defined, ParleyError, Redactor, silentLogger, systemClock } from "@parley/base";
import { beginLogin, type McpRemoteSettings, type PendingLogin } from "@parley/core";
import { McpFiles, McpLoginFile, mcpFileIn, mcpLoginsIn, noteChange } from "@parley/gateway";
import type { Io } from "../command-line/io.ts";
import { printJson, printRows } from "../command-line/output.ts";
import { withStoredKeys } from "../command-line/stored-keys.ts";
import { UsageError } from "../command-line/usage.ts";
import { visibleLine } from "../text/visible.ts";
import { withoutQuery } from "../text/without-query.ts";
import { mcpLoginTexts } from "../texts/gateway/mcp.ts";
import { type LoginListener, listenForLogin } from "./login-answer.ts";
import type { LoginFlags } from "./mcp-flags.ts";
import { endLogin, unrevokedNote } from "./mcp-logout.ts";
import { readConfig } from "./run-gateway.ts";

/** Maximum milliseconds of a login. */
const longestLoginMs = 10 * 60_000;

/** Logs in to a remote server: a person opens an address in a browser, which returns here or is pasted. */
export async function logIn(name: string, flags: LoginFlags, io: Io): Promise<void> {
	const { data, servers, logins } = await openLogins(flags, io);
	const server = servers.find((one) => one.name === name);
	if (server === undefined) throw noServer(name, servers);
	if (server.headers["authorization"] !== undefined)
		throw new UsageError(mcpLoginTexts.noLoginNeeded({ server: name }));
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
			await noteChange(data, { action: "mcp.login", object: name, facts }, noteDeps);
			await logins.change(name, () => Promise.resolve(login));
		} finally {
			await pending.close();
		}
	} finally {
		listener.close();
	}
	if (flags.json) printJson({ loggedIn: name }, io);
	else printRows([mcpLoginTexts.loggedIn({ server: name })], io);
}

/** Removes a login, and revokes its tokens if the authorization server allows it. */
export async function logOut(name: string, flags: LoginFlags, io: Io): Promise<void> {
	const { data, servers, logins } = await openLogins(flags, io);
	const allowPrivate = servers.some((one) => one.name === name && one.allowPrivate);
	const end = await endLogin(name, allowPrivate, { data, logins });
	if (!end) throw new UsageError(mcpLoginTexts.noLogin({ server: name }));
	if (flags.json) return printJson({ loggedOut: name, revoked: end.isRevoked }, io);
	printRows([mcpLoginTexts.loggedOut({ server: name, note: unrevokedNote(end) })], io);
}

const noteDeps = { clock: systemClock, ids: createIds() };

interface Logins {
	readonly data: string;
	readonly servers: readonly McpRemoteSettings[];
	readonly logins: McpLoginFile;
}

async function openLogins({ data: directory, agent = "default" }: LoginFlags, io: Io): Promise<Logins> {
	const { data, mcp: configured = [] } = await readConfig(defined({ data: directory }), io);
	const redactor = new Redactor();
	const source = new McpFiles({
		path: mcpFileIn(data),
		logins: mcpLoginsIn(data),
		configured,
		environment: (await withStoredKeys(io, directory)).environment,
		redactor,
		log: silentLogger,
	});
	const { servers, ofAgent = [] } = await source.current(agent);
	return {
		data,
		servers: [...servers, ...ofAgent].filter((one) => "url" in one),
		logins: new McpLoginFile({ data, clock: systemClock, redactor }),
	};
}

function noServer(name: string, servers: readonly McpRemoteSettings[]): UsageError {
	const known = servers.map((one) => one.name).join(", ") || "none";
	return new UsageError(mcpLoginTexts.noRemoteServer({ server: name, known }));
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

/** The answer of the browser on this machine, or the one that a person pastes. */
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
		if (answer && pending.isOurs(answer)) pasted.resolve(answer);
		else if (line.trim() !== "") io.stderr.write(`${mcpLoginTexts.otherAddress}\n`);
	});
	try {
		return await Promise.race([listener.answer(pending.isOurs), pasted.promise, late.promise]);
	} finally {
		timer.cancel();
		lines.close();
	}
}
