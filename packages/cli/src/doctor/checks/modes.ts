import { join } from "node:path";
import { type Check, type Found, fail, ok } from "../finding.ts";
import type { System } from "../system.ts";

/** What must not be readable by others, where it exists. */
const secrets = [
	...["tokens", "tokens/operator", "keys", "keys/secrets"],
	...["parley.sqlite", "parley.sqlite-wal", "parley.sqlite-shm", "files"],
	...["connectors", "connectors/discord.sqlite", "connectors/discord.json"],
	...["connectors/slack.sqlite", "connectors/slack.json"],
];

/** Whether what holds secrets belongs to this user, and opens for nobody else. */
export const modes: Check = {
	id: "files.modes",
	async look(system) {
		const { data, stat, config } = system;
		if (!(await stat(data))) return ok(`${data} does not exist yet`);
		// The directory keeps others out of all that is in it, also where its group may look at it.
		const own = [
			{ path: data, forbidden: 0o007 },
			...secrets.map((name) => ({ path: join(data, name), forbidden: 0o077 })),
		];
		const key = config instanceof Error ? undefined : config.tls?.key;
		const paths = key === undefined ? own : [...own, { path: key, forbidden: 0o007 }];
		const found = await Promise.all(paths.map((one) => judge(one, system)));
		return found.find((one) => one !== undefined) ?? ok(`${data} opens for this user alone`);
	},
};

async function judge(
	{ path, forbidden }: { readonly path: string; readonly forbidden: number },
	{ stat, uid, data }: System,
): Promise<Found | undefined> {
	const facts = await stat(path);
	if (!facts) return undefined;
	const quoted = `'${path.replaceAll("'", "'\\''")}'`;
	const isOurs = path === data || path.startsWith(`${data}/`);
	if (isOurs && uid !== undefined && facts.uid !== uid) {
		return fail(`${path} belongs to another user (${facts.uid})`, `sudo chown -R "$(id -un)" ${quoted}`);
	}
	if ((facts.mode & forbidden) === 0) return undefined;
	const mode = (facts.mode & 0o777).toString(8);
	const fix = `chmod ${facts.isDirectory ? "700" : "600"} ${quoted}`;
	return fail(`${path} is open to other users of this machine (mode ${mode})`, fix);
}
