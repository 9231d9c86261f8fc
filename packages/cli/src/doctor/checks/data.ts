import { dirname, join } from "node:path";
import { messagesRows, messagesSummary } from "../../audit/audit-rows.ts";
import type { Found } from "../../tables/finding-rows.ts";
import { dataCheckTexts } from "../../texts/doctor/data.ts";
import { doctorTexts } from "../../texts/doctor/shared.ts";
import { makeRoom } from "../distribution.ts";
import { type Check, fail, failWith, ok, warn } from "../finding.ts";
import type { System } from "../system.ts";

/** Checks that the data directory exists, because no other check reports a mistyped directory. */
export const dataCheck: Check = {
	id: "data",
	async examine({ data: directory, stat }) {
		const facts = await stat(directory);
		if (facts?.isDirectory) return ok(directory);
		if (facts) return fail(dataCheckTexts.noDirectory({ directory }), dataCheckTexts.noDirectoryFix);
		return warn(dataCheckTexts.missing({ directory }), dataCheckTexts.missingFix({ directory }));
	},
};

export const databaseCheck: Check = {
	id: "database",
	async examine(system) {
		try {
			if (await system.database()) return ok(dataCheckTexts.databaseIntact);
			return await withoutDatabase(system);
		} catch (reason) {
			return failWith(reason, dataCheckTexts.databaseFix);
		}
	},
};

/**
 * Resolves with a warning if keys or tokens exist without a database, because the database was then probably
 * lost.
 */
async function withoutDatabase({ data, stat }: System): Promise<Found> {
	for (const name of ["keys/secrets", "tokens/operator"]) {
		if (!(await stat(join(data, name)))) continue;
		return warn(dataCheckTexts.databaseLost({ data, file: name }), dataCheckTexts.databaseLostFix);
	}
	return ok(dataCheckTexts.noDatabase);
}

const mebibyte = 1024 * 1024;
const [leastBytes, fewBytes] = [64 * mebibyte, 1024 * mebibyte];

/** Checks whether the data directory is writable and has free space. */
export const diskCheck: Check = {
	id: "disk",
	async examine(system) {
		const { freeBytes, writeProbe, distribution } = system;
		const directory = await nearest(system);
		const free = await freeBytes(directory);
		const left = dataCheckTexts.freeSpace({ mebibytes: Math.floor(free / mebibyte), directory });
		if (free < leastBytes) return fail(left, makeRoom(distribution));
		try {
			await writeProbe(directory);
		} catch (reason) {
			const why = reason instanceof Error ? reason.message : String(reason);
			return fail(dataCheckTexts.notWritable({ directory, reason: why }), dataCheckTexts.notWritableFix);
		}
		return free < fewBytes ? warn(left, makeRoom(distribution)) : ok(left);
	},
};

/** Returns the data directory, or its nearest existing parent. */
async function nearest({ data, stat }: System): Promise<string> {
	for (let path = data; ; path = dirname(path)) {
		if ((await stat(path)) || path === dirname(path)) return path;
	}
}

/** Files and directories that only this user may read. */
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

/** Checks the owner and the permissions of files with secrets. */
export const modesCheck: Check = {
	id: "files.modes",
	async examine(system) {
		const { data, stat, config } = system;
		if (!(await stat(data))) return ok(dataCheckTexts.noFiles({ data }));
		// Other users must have no access to the directory. The access of the group is not checked.
		const own = [
			{ path: data, forbidden: 0o007 },
			...secrets.map((name) => ({ path: join(data, name), forbidden: 0o077 })),
		];
		const key = config instanceof Error ? undefined : config.tls?.key;
		const paths = key === undefined ? own : [...own, { path: key, forbidden: 0o007 }];
		const found = await Promise.all(paths.map((one) => judge(one, system)));
		return found.find((one) => one !== undefined) ?? ok(dataCheckTexts.privateFiles({ data }));
	},
};

async function judge(
	{ path, forbidden }: { readonly path: string; readonly forbidden: number },
	{ stat, uid, data }: System,
): Promise<Found | undefined> {
	const facts = await stat(path);
	if (!facts) return undefined;
	const quoted = `'${path.replaceAll("'", "'\\''")}'`;
	const isInData = path === data || path.startsWith(`${data}/`);
	if (isInData && uid !== undefined && facts.uid !== uid) {
		return fail(
			dataCheckTexts.otherOwner({ path, uid: facts.uid }),
			dataCheckTexts.otherOwnerFix({ path: quoted }),
		);
	}
	if ((facts.mode & forbidden) === 0) return undefined;
	const mode = (facts.mode & 0o777).toString(8);
	const fix = `chmod ${facts.isDirectory ? "700" : "600"} ${quoted}`;
	return fail(dataCheckTexts.openFile({ path, mode }), fix);
}

export const auditCheck: Check = {
	id: "audit",
	async examine({ database, audit: check }) {
		// Another check reports a damaged database.
		const hasDatabase = await database().catch(() => undefined);
		if (hasDatabase === undefined) return ok(doctorTexts.sameCause({ id: databaseCheck.id }));
		if (!hasDatabase) return ok(dataCheckTexts.noAudit);
		const { records, broken } = await check();
		if (!broken) return ok(dataCheckTexts.auditIntact({ records }));
		return fail(dataCheckTexts.auditDamaged(broken), dataCheckTexts.auditDamagedFix);
	},
};

/** Verifies the stored text of sessions. Runs only with `--deep`, because it reads all stored text. */
export const messagesCheck: Check = {
	id: "messages",
	async examine({ messages: check }) {
		const result = await check();
		if (!result) return ok(dataCheckTexts.noMessages);
		if (!result.ok) {
			const [what = "", ...examples] = messagesRows(result).slice(0, -1);
			return fail([what, ...examples].join("; "), dataCheckTexts.messagesAlteredFix);
		}
		const { sessions, all_sessions: all } = result;
		if (sessions === all) return ok(dataCheckTexts.messagesIntact({ summary: messagesSummary(result) }));
		return warn(
			dataCheckTexts.messagesPartlyChecked({ summary: messagesSummary(result) }),
			dataCheckTexts.messagesPartlyCheckedFix,
		);
	},
};
