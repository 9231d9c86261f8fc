import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createIds, Redactor, systemClock } from "@parley/base";
import { beginLogin, type LoginOptions, type McpRemoteSettings } from "@parley/core";
import { McpLoginFile } from "@parley/gateway";
import { onTestFinished } from "vitest";

/** Redirect URL of the login. No program listens there. */
export const redirectUrl = "http://127.0.0.1:49152/callback";

export function remoteAt(url: string, more: Partial<McpRemoteSettings> = {}): McpRemoteSettings {
	return { name: "remote", url, headers: {}, allowPrivate: true, secrets: [], timeoutMs: 30_000, ...more };
}

export async function begin(server: McpRemoteSettings, more: Partial<LoginOptions> = {}) {
	const options = { redirectUrl, privateHosts: [], clock: systemClock, ids: createIds(), ...more };
	const pending = await beginLogin(server, options);
	onTestFinished(() => pending.close());
	return pending;
}

export async function openLogins() {
	const data = await mkdtemp(join(tmpdir(), "parley-mcp-login-"));
	onTestFinished(() => rm(data, { recursive: true, force: true }));
	const redactor = new Redactor();
	return { data, redactor, logins: new McpLoginFile({ data, clock: systemClock, redactor }) };
}
