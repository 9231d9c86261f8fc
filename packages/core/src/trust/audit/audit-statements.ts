import { hotStatement } from "@parley/base";
import { sql } from "kysely";
import type { Tables } from "../../store/tables.ts";

/** The row that the next one is bound to; none in an empty record. */
export const lastAudit = hotStatement<Tables, object, { seq: number; hash: string }>((db) =>
	db.selectFrom("audit").select(["seq", "hash"]).orderBy("seq", "desc").limit(sql.lit(1)),
);

export const insertAudit = hotStatement<
	Tables,
	{
		seq: number;
		at: number;
		principal: string;
		via: string;
		action: string;
		object: string;
		decision: string;
		args_sha256: string | null;
		args: string | null;
		grant_id: string | null;
		prev_hash: string;
		hash: string;
		v: number;
	}
>((db, p) =>
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
