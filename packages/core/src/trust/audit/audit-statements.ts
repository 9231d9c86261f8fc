import { hotStatement } from "@parley/base";
import { type Selectable, sql } from "kysely";
import type { Tables } from "../../store/tables.ts";

/** Selects the number and hash of the last row. Returns no row if the audit log is empty. */
export const lastAudit = hotStatement<Tables, object, { seq: number; hash: string }>((db) =>
	db.selectFrom("audit").select(["seq", "hash"]).orderBy("seq", "desc").limit(sql.lit(1)),
);

export const insertAudit = hotStatement<Tables, Selectable<Tables["audit"]>>((db, p) =>
	db.insertInto("audit").values({
		seq: p("seq"),
		at: p("at"),
		principal: p("principal"),
		via: p("via"),
		action: p("action"),
		object: p("object"),
		decision: p("decision"),
		args_sha256: p("args_sha256"),
		args: p("args"),
		grant_id: p("grant_id"),
		prev_hash: p("prev_hash"),
		hash: p("hash"),
		v: p("v"),
	}),
);
