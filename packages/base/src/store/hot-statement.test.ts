import { type CompiledQuery, type DatabaseConnection, PGliteDialect, SqliteDialect } from "kysely";
import { expect, test } from "vitest";
import { boundKysely } from "./group-commit.ts";
import { hotStatement } from "./hot-statement.ts";

interface Tables {
	steps: { run_id: string; n: number; data: string | null; v: number };
}

function recorded(dialect: SqliteDialect | PGliteDialect) {
	const queries: CompiledQuery[] = [];
	const connection: DatabaseConnection = {
		async executeQuery(query) {
			queries.push(query);
			return { rows: [] };
		},
		streamQuery() {
			throw new Error("not streamed");
		},
	};
	return { queries, db: boundKysely<Tables>(dialect, connection) };
}

const never = () => {
	throw new Error("the database is not opened");
};
const sqlite = () => recorded(new SqliteDialect({ database: never }));
const postgres = () => recorded(new PGliteDialect({ pglite: never }));

function countedInsert() {
	const count = { built: 0 };
	const insert = hotStatement<Tables, { n: number; runId: string; data: string | null }>((db, p) => {
		count.built++;
		return db.insertInto("steps").values({ run_id: p("runId"), n: p("n"), data: p("data"), v: 1 });
	});
	return { count, insert };
}

test("a statement is built and compiled once, and bound for each call", async () => {
	const { count, insert } = countedInsert();
	const { db, queries } = sqlite();
	await insert(db, { runId: "a", n: 1, data: "x" });
	await insert(db, { data: null, n: 2, runId: "b" });
	expect(count.built).toBe(1);
	const text = 'insert into "steps" ("run_id", "n", "data", "v") values (?, ?, ?, ?)';
	expect(queries.map((query) => [query.sql, query.parameters])).toEqual([
		[text, ["a", 1, "x", 1]],
		[text, ["b", 2, null, 1]],
	]);
	expect(queries[1]?.query).toBe(queries[0]?.query);
});

test("each engine has its own compilation, shared by all its databases", async () => {
	const { count, insert } = countedInsert();
	const databases = [sqlite(), postgres(), sqlite(), postgres()];
	for (const { db } of databases) await insert(db, { runId: "a", n: 1, data: "x" });
	expect(count.built).toBe(2);
	expect(databases.map(({ queries }) => queries[0]?.sql.slice(-16))).toEqual([
		"ues (?, ?, ?, ?)",
		"($1, $2, $3, $4)",
		"ues (?, ?, ?, ?)",
		"($1, $2, $3, $4)",
	]);
});

test("a parameter works in expressions, conditions and limits", async () => {
	const find = hotStatement<Tables, { after: number; limit: number; text: string }, { n: number }>((db, p) =>
		db
			.selectFrom("steps")
			.select((eb) => eb("n", "+", p("after")).as("n"))
			.where("n", ">", p("after"))
			.where("data", "like", p("text"))
			.limit(p("limit")),
	);
	const { db, queries } = postgres();
	await find(db, { limit: 10, text: "a%", after: 7 });
	expect(queries[0]?.parameters).toEqual([7, 7, "a%", 10]);
});
