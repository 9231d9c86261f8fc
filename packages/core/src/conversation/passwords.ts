import { type Clock, hotStatement, type Ids, type Logger, ParleyError } from "@parley/base";
import type { Journal, Tx } from "../store/journal.ts";
import { stamp, type Tables } from "../store/tables.ts";
import type { SecretBox } from "../vocabulary/secrets.ts";
import type { Session } from "./session.ts";
import { promptTexts } from "./texts.ts";

/** Pattern of the handles that replace passwords for the model and in stored data. */
const handles = /^secret:(pw_[0-9a-z]{26})$/;

/** Encrypts and stores a password, and returns its handle. The session's redactor removes the password from then on. */
export async function storePassword(
	{ clock, ids, secrets }: { readonly clock: Clock; readonly ids: Ids; readonly secrets: SecretBox },
	tx: Tx,
	session: Session,
	password: string,
): Promise<string> {
	const id = ids.create("pw");
	const sealed = secrets.seal(id, password);
	await tx
		.insertInto("secrets")
		.values({ id, session_id: session.id, sealed, created_at: clock.now(), ...stamp })
		.execute();
	session.redactor.add(password);
	return `secret:${id}`;
}

/**
 * Returns the password for a handle of the session. Returns undefined for any other text, and if the password can no
 * longer be decrypted.
 */
export async function openPassword(
	services: { readonly journal: Journal; readonly secrets: SecretBox; readonly log: Logger },
	session: Session,
	handle: string,
): Promise<string | undefined> {
	const [, id] = handles.exec(handle) ?? [];
	if (id === undefined) return undefined;
	const row = await services.journal.store.read((db) =>
		db
			.selectFrom("secrets")
			.select(["id", "sealed"])
			.where("id", "=", id)
			.where("session_id", "=", session.id)
			.executeTakeFirst(),
	);
	return row && unseal(services, row);
}

const sealedPasswords = hotStatement<Tables, { sessionId: string }, { id: string; sealed: string }>((db, p) =>
	db.selectFrom("secrets").select(["id", "sealed"]).where("session_id", "=", p("sessionId")),
);

/**
 * Returns those passwords of a session that can be decrypted. The output of the session must not contain these
 * passwords, even after a restart.
 */
export async function readPasswords(
	db: Tx,
	sessionId: string,
	services: { readonly secrets: SecretBox; readonly log: Logger },
): Promise<string[]> {
	const rows = await sealedPasswords(db, { sessionId });
	return rows.flatMap((row) => unseal(services, row) ?? []);
}

function unseal(
	{ secrets, log }: { readonly secrets: SecretBox; readonly log: Logger },
	{ id, sealed }: { readonly id: string; readonly sealed: string },
): string | undefined {
	try {
		return secrets.open(id, sealed);
	} catch (reason) {
		if (ParleyError.from(reason).code !== "data_loss") throw reason;
		log.warn(promptTexts.otherKey, { secret: id });
		return undefined;
	}
}
