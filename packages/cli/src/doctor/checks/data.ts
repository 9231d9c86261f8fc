import { dirname, join } from "node:path";
import { messagesRows, messagesSummary } from "../../audit/audit-rows.ts";
import type { Found } from "../../tables/finding-rows.ts";
import { makeRoom } from "../distribution.ts";
import { type Check, fail, ok, warn } from "../finding.ts";
import type { System } from "../system.ts";

/** Checks that the data directory exists. No other check reports a mistyped directory. */
export const data: Check = {
	id: "data",
	async examine({ data: directory, stat }) {
		const facts = await stat(directory);
		if (facts?.isDirectory) return ok(directory);
		if (facts) return fail(`${directory} is not a directory`, "choose another one with --data DIR");
		const what = `${directory} does not exist: no gateway has started there`;
		return warn(what, "`parley start` creates it; if the path is wrong, set --data DIR");
	},
};

export const database: Check = {
	id: "database",
	async examine(system) {
		try {
			if (await system.database()) return ok("intact, with a supported version");
			return await withoutDatabase(system);
		} catch (reason) {
			const message = reason instanceof Error ? reason.message : String(reason);
			const [what = message, fix = "restore a backup with `parley restore`"] =
				message.split(/: (?=move|upgrade)/);
			return fail(what, fix);
		}
	},
};

/** Keys and tokens without a database are a sign that it was lost. */
async function withoutDatabase({ data, stat }: System): Promise<Found> {
	for (const name of ["keys/secrets", "tokens/operator"]) {
		if (!(await stat(join(data, name)))) continue;
		return warn(
			`${data} contains ${name} but no database: the next start creates an empty one, without earlier sessions`,
			"restore a backup with `parley restore FILE --force`; ignore this if no gateway has started here",
		);
	}
	return ok("none yet");
}

const mebibyte = 1024 * 1024;
/** Below the first limit the check fails, below the second it warns. */
const [leastBytes, fewBytes] = [64 * mebibyte, 1024 * mebibyte];

/** Checks whether the data directory is writable and has free space. */
export const disk: Check = {
	id: "disk",
	async examine(system) {
		const { freeBytes, writeProbe, distribution } = system;
		const directory = await nearest(system);
		const free = await freeBytes(directory);
		const left = `${Math.floor(free / mebibyte)} MiB are free on the disk of ${directory}`;
		if (free < leastBytes) return fail(left, makeRoom(distribution));
		try {
			await writeProbe(directory);
		} catch (reason) {
			const why = reason instanceof Error ? reason.message : String(reason);
			return fail(`cannot write to ${directory}: ${why}`, "choose another directory with --data DIR");
		}
		return free < fewBytes ? warn(left, makeRoom(distribution)) : ok(left);
	},
};

/** Returns the data directory or, before the first start, its nearest existing parent. */
async function nearest({ data, stat }: System): Promise<string> {
	for (let path = data; ; path = dirname(path)) {
		if ((await stat(path)) || path === dirname(path)) return path;
	}
}

/** Files that other users must not be able to read. */
const secrets = [
	"tokens",
	"tokens/operator",
	"keys",
	"keys/secrets",
	"parley.sqlite",
	"parley.sqlite-wal",
	"parley.sqlite-shm",
	"files",
	"connectors",
	"connectors/discord.sqlite",
	"connectors/discord.json",
	"connectors/slack.sqlite",
	"connectors/slack.json",
];

/** Checks that files with secrets belong to this user and only this user can read them. */
export const modes: Check = {
	id: "files.modes",
	async examine(system) {
		const { data, stat, config } = system;
		if (!(await stat(data))) return ok(`${data} does not exist yet`);
		// The directory itself excludes other users, even if its group may list it.
		const own = [
			{ path: data, forbidden: 0o007 },
			...secrets.map((name) => ({ path: join(data, name), forbidden: 0o077 })),
		];
		const key = config instanceof Error ? undefined : config.tls?.key;
		const paths = key === undefined ? own : [...own, { path: key, forbidden: 0o007 }];
		const found = await Promise.all(paths.map((one) => judge(one, system)));
		return found.find((one) => one !== undefined) ?? ok(`only this user can read ${data}`);
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

export const audit: Check = {
	id: "audit",
	async examine({ database, audit: check }) {
		// Another check reports a damaged database.
		if (!(await database().catch(() => false))) return ok("no rows yet");
		const { records, broken } = await check();
		if (!broken) return ok(`intact: ${records} rows`);
		return fail(
			`row ${broken.seq}: ${broken.reason}`,
			"compare it with a backup; `parley audit --verify` shows how many rows are valid",
		);
	},
};

/** Verifies the stored text of sessions. Reads all of it, so it runs only with `--deep`. */
export const messages: Check = {
	id: "messages",
	async examine({ messages: check }) {
		const result = await check();
		if (!result) return ok("no stored text with hashes yet");
		if (!result.ok) {
			const [what = "", ...examples] = messagesRows(result).slice(0, -1);
			return fail(
				[what, ...examples].join("; "),
				"compare them with a backup; check the backup with `parley restore --verify FILE`",
			);
		}
		const { sessions, all_sessions: all } = result;
		if (sessions === all) return ok(`intact: ${messagesSummary(result)}`);
		return warn(
			`intact, but not all checked: ${messagesSummary(result)}`,
			"`parley audit --verify` checks all, without a time limit",
		);
	},
};
