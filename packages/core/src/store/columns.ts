import type { CreateTableBuilder, Kysely } from "kysely";

/** Name and type of a column. A question mark after the name makes the column nullable and is not part of the name. */
export type Column = readonly [name: string, type: "text" | "bigint" | "integer"];

/** Last columns of a table; see `Stamped`. */
export const stampColumns: readonly Column[] = [
	["epoch", "bigint"],
	["v", "integer"],
];

/** Creates a table. The first column `[key, type]` is the primary key. */
export async function createTable(
	db: Kysely<unknown>,
	name: string,
	[key, type]: Column,
	columns: readonly Column[],
): Promise<void> {
	const keyed = db.schema.createTable(name).addColumn(key, type, (column) => column.primaryKey());
	await withColumns(keyed, columns).execute();
}

type Building = CreateTableBuilder<string, string>;

export function withColumns(table: Building, columns: readonly Column[]): Building {
	return columns.reduce<Building>(
		(built, [name, type]) =>
			name.endsWith("?")
				? built.addColumn(name.slice(0, -1), type)
				: built.addColumn(name, type, (column) => column.notNull()),
		table,
	);
}
