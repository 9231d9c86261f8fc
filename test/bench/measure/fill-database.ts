import { DatabaseSync } from "node:sqlite";
import { openSqliteStore } from "@parley/base";
import { migrations } from "@parley/core";

export const lastWords = "[the last words]";

export function sessionId(n: number): string {
	return `sess_${String(n).padStart(26, "0")}`;
}

const id = (prefix: string, n: string): string => `printf('${prefix}_%026d', ${n})`;
const runOf = "(s.n * 1000 + e.n / 2)";
const words = "substr(replace(hex(zeroblob(60)), '0', 'word '), 1, 200)";

/**
 * Creates a database of idle sessions with `events` events each. `events` must be even: each run has two events, a
 * message and a reply of 200 characters.
 */
export async function fillDatabase(file: string, sessions: number, events: number): Promise<void> {
	await (await openSqliteStore({ file, migrations })).close();
	const database = new DatabaseSync(file);
	const counts = (maximum: number): string =>
		`(with recursive c(n) as (select 1 union all select n + 1 from c where n < ${maximum}) select n from c)`;
	const usage = `'{"inputTokens":9,"outputTokens":50,"cacheReadTokens":0,"cacheWriteTokens":0}'`;
	database.exec("begin");
	database.exec(
		"insert into sessions (epoch, v, id, owner, title, root_dir, status, last_seq, message_count, " +
			"input_tokens, output_tokens, created_at, updated_at, left_at) " +
			`select 1, 1, ${id("sess", "n")}, 'operator', 'session ' || n, '/', 'closed', ${events}, ${events}, ` +
			`9, 50, 1700000000000 + n, 1700000000000 + n, 1700000000000 from ${counts(sessions)}`,
	);
	database.exec(
		"insert into events (epoch, v, id, session_id, seq, type, at, data) " +
			`select 1, 1, ${id("evt", "(s.n * 1000 + e.n)")}, ${id("sess", "s.n")}, e.n, ` +
			"iif(e.n % 2, 'user.message', 'assistant.message'), 1700000000000 + e.n, iif(e.n % 2, " +
			`json_object('type', 'user.message', 'runId', ${id("run", `(${runOf} + 1)`)}, 'content', ${words}), ` +
			`json_object('type', 'assistant.message', 'runId', ${id("run", runOf)}, 'content', ${words} || iif(e.n = ${events}, '${lastWords}', ''), ` +
			`'error', '', 'model', 'offline', 'usage', json(${usage}), 'cost', 0)) ` +
			`from ${counts(sessions)} s, ${counts(events)} e`,
	);
	database.exec(
		"insert into runs (epoch, v, id, session_id, ordinal, state, content, accept_all, cancel_requested, " +
			`created_at, ended_at) select 1, 1, ${id("run", "(s.n * 1000 + e.n)")}, ${id("sess", "s.n")}, e.n, 'ended', ` +
			`${words}, 0, 0, 1700000000000, 1700000000001 from ${counts(sessions)} s, ${counts(events / 2)} e`,
	);
	database.exec(
		"insert into steps (epoch, v, run_id, n, at, data) select 1, 1, id, e.n - 1, 1700000000000, case e.n " +
			`when 1 then '{"kind":"call"}' when 2 then json_object('kind', 'reply', 'content', json_array(` +
			`json_object('type', 'text', 'text', ${words})), 'model', 'offline', 'usage', json(${usage})) ` +
			`else '{"kind":"ended","error":""}' end from runs, ${counts(3)} e`,
	);
	database.exec("commit");
	database.close();
}
