import { createHash } from "node:crypto";
import { realpath, stat } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { type Clock, defined, type Logger, ParleyError, type Store } from "@parley/base";
import { fileFault, isNotFound } from "../../filesystem/file-error.ts";
import { type Keyed, once } from "../../store/idempotency.ts";
import type { Tx } from "../../store/journal.ts";
import { stamp, type Tables } from "../../store/tables.ts";
import { visible } from "../../text/visible.ts";
import { type Audit, requestedBy } from "../../trust/audit/audit.ts";
import { authorize, isAuthorized } from "../../vocabulary/authorize.ts";
import { actingId, type Principal } from "../../vocabulary/principal.ts";
import type { RunOptions } from "../../vocabulary/run-options.ts";
import { type Invocation, invocationIn, type UsedSkill, useSkill } from "../../vocabulary/skill.ts";
import { forPeople, nameIn, notFound, skillRefusal, untrusted } from "./skill-errors.ts";
import { SkillFiles, type SkillOnDisk, type SkillProblem } from "./skill-files.ts";
import { skillReadTexts, skillRefusalTexts, skillTrustTexts } from "./texts.ts";
import {
	diffOfContent,
	readContent,
	type SandboxHealth,
	SkillChanges,
	storedContent,
} from "./trusted-content.ts";

interface SkillsOptions {
	readonly store: Store<Tables>;
	readonly clock: Clock;
	readonly log: Logger;
	readonly audit: Audit;
	readonly secrets: { readonly fingerprint: (text: string) => string };
	readonly roots: { readonly dataDir: string };
	readonly sandbox: SandboxHealth;
	/** Leases the session of a request. Throws if the principal may not read the session. */
	readonly lease: (
		principal: Principal,
		sessionId: string,
		action: "session.read",
	) => Promise<{ readonly session: { readonly rootDir: string } } & Disposable>;
}

interface SkillSession {
	readonly rootDir: string;
	readonly redactor: { redactKnown(text: string): string };
}

/**
 * Trust in a skill. Skills of the operator may always be used. A skill of a working directory may be used only if the
 * operator trusted exactly the current content of the skill. `changed`: the operator trusted different content of the
 * skill.
 */
export type SkillTrust = "operator" | "trusted" | "changed" | "untrusted";

export interface ListedSkill extends SkillOnDisk {
	readonly trust: SkillTrust;
	/**
	 * Time at which the gateway first saw the current content of the skill, in milliseconds since the epoch. Only for
	 * skills of the data directory.
	 */
	readonly changedAt?: number;
}

export interface ShownSkill extends ListedSkill {
	/**
	 * A unified diff for people. Set if the trusted content is stored and the skill has changed since the operator
	 * trusted it.
	 */
	readonly changes?: string;
}

export interface SkillList {
	readonly skills: readonly ListedSkill[];
	readonly problems: readonly SkillProblem[];
	/** Hash of all skill files of the working directory. "" if the directory has no skills. */
	readonly digest: string;
}

/**
 * Place of the requested skills: the working directory of a session, or a directory that the operator names. If neither
 * is given, only the skills of the data directory are requested.
 */
export interface SkillPlace {
	readonly sessionId?: string | undefined;
	readonly directory?: string | undefined;
}

/**
 * Reads the skills of the gateway and of working directories, and stores the operator's trust in skills of working
 * directories. Available as `runtime.skills`.
 */
export class Skills {
	readonly #options: SkillsOptions;
	readonly #files: SkillFiles;
	readonly #changes: SkillChanges;
	readonly #logged = new Set<string>();

	constructor(options: SkillsOptions) {
		this.#options = options;
		this.#files = new SkillFiles(options.roots.dataDir);
		this.#changes = new SkillChanges(options);
	}

	/**
	 * Returns the directories of the gateway that a run may read: the directory of the operator's skills, if it
	 * exists.
	 */
	get readable(): readonly string[] {
		return this.#files.readable;
	}

	/** Lists skills. Only the operator may name a directory. */
	async list(principal: Principal, place: SkillPlace): Promise<SkillList> {
		authorize(principal, "skill.read");
		return this.#all(await this.#directoryOf(principal, place));
	}

	/**
	 * Finds one skill, even if it is not trusted. Throws `not_found` with the existing names if no skill has the name
	 * `name`, and `failed_precondition` if the file of the skill has an error.
	 */
	async show(principal: Principal, name: string, place: SkillPlace): Promise<ShownSkill> {
		authorize(principal, "skill.read");
		const directory = await this.#directoryOf(principal, place);
		const { skills, problems } = await this.#all(directory);
		const found = skills.find(({ skill }) => skill.name === name);
		if (!found) throw notFound(name, { skills, problems, mayFix: mayFix(principal) });
		if (found.trust !== "changed" || directory === undefined) return found;
		const changes = await this.#changesOf(found, directory);
		return changes === undefined ? found : { ...found, changes };
	}

	/**
	 * Returns a diff from the trusted content of a skill, or undefined if the trusted content was not stored.
	 */
	async #changesOf(listed: ListedSkill, directory: string): Promise<string | undefined> {
		const row = await this.#options.store.read((db) =>
			db
				.selectFrom("trusted_skills")
				.select("content")
				.where("directory", "=", directory)
				.where("path", "=", listed.path)
				.executeTakeFirst(),
		);
		const before = storedContent(row?.content ?? null);
		return before && diffOfContent(before, await readContent(listed));
	}

	/**
	 * Trusts the current skills of a working directory. Earlier trust in skills of the directory ends. Throws
	 * `failed_precondition` if the directory has no skills. If a digest is given, throws `aborted` if the skills have
	 * changed since they were listed. Returns the trusted skills.
	 */
	async trust(request: Keyed, directory: string, digest?: string): Promise<readonly ListedSkill[]> {
		authorize(request.principal, "skill.trust");
		const real = await realDirectory(directory);
		const found = await this.#all(real);
		const own = found.skills.filter(({ trust }) => trust !== "operator");
		if (own.length === 0) {
			throw new ParleyError(skillTrustTexts.noSkills(visible(real)), { code: "failed_precondition" });
		}
		if (digest !== undefined && digest !== found.digest) {
			throw new ParleyError(skillTrustTexts.changed(visible(real)), { code: "aborted" });
		}
		const contents = await Promise.all(own.map(readContent));
		await this.#commit(
			request,
			{ action: "skill.trust", object: real, decision: "trusted" },
			own,
			async (tx) => {
				await tx.deleteFrom("trusted_skills").where("directory", "=", real).execute();
				const by = { trusted_by: actingId(request.principal), trusted_at: this.#options.clock.now() };
				const rows = own.map(({ skill, path }, index) => ({
					directory: real,
					path,
					hash: skill.hash,
					content: JSON.stringify(contents[index]),
					...by,
					...stamp,
				}));
				await tx.insertInto("trusted_skills").values(rows).execute();
			},
		);
		return own.map((one) => ({ ...one, trust: "trusted" }));
	}

	/**
	 * Ends the trust in the skills of a directory, even if the directory no longer exists. Returns the number of affected
	 * skills.
	 */
	async untrust(request: Keyed, directory: string): Promise<number> {
		authorize(request.principal, "skill.trust");
		const real = await realDirectory(directory).catch(() => directory);
		return this.#commit(
			request,
			{ action: "skill.untrust", object: real, decision: "ended" },
			[],
			async (tx) => {
				const removed = await tx
					.deleteFrom("trusted_skills")
					.where("directory", "=", real)
					.returning("path")
					.execute();
				return removed.length;
			},
		);
	}

	/** Returns the skills that a run in the directory `rootDir` may use. */
	async usable(rootDir: string): Promise<readonly ListedSkill[]> {
		if (!this.#files.mayExist(rootDir)) return [];
		return (await this.#all(rootDir)).skills.filter(isUsable);
	}

	/**
	 * Returns the skill that a person starts with a message, with the arguments filled in. Returns undefined if the
	 * message names no skill, because a message may also start with a path. Throws if the skill is unusable, if only the
	 * agent may start the skill, or if an explicitly requested skill does not exist.
	 */
	async startedBy(
		{ rootDir, redactor }: SkillSession,
		principal: Principal,
		{ content, skill: explicit }: { readonly content: string; readonly skill?: Invocation | undefined },
	): Promise<UsedSkill | undefined> {
		const requested = explicit ?? invocationIn(content);
		if (!requested) return undefined;
		const all = this.#files.mayExist(rootDir) ? await this.#all(rootDir) : { skills: [], problems: [] };
		const found = all.skills.find(({ skill }) => skill.name === requested.name);
		if (!found) {
			const isBroken = all.problems.some(({ path }) => nameIn(path) === requested.name);
			if (!isBroken && !explicit) return undefined;
			throw notFound(requested.name, { ...all, mayFix: mayFix(principal) });
		}
		if (!found.skill.userInvocable) {
			throw skillRefusal(skillRefusalTexts.onlyAgent(requested.name));
		}
		if (!isUsable(found)) throw untrusted(found, mayFix(principal) ? rootDir : undefined);
		const skillArguments = redactor.redactKnown(requested.arguments);
		const used = useSkill(found, skillArguments, { isQuoted: principal.person !== undefined });
		return { ...used, text: redactor.redactKnown(used.text) };
	}

	/**
	 * Throws if the skill of a stored run can no longer start with the same content. A retry must not use an untrusted
	 * text. Does nothing for a run without a skill.
	 */
	async recheck({ rootDir }: { readonly rootDir: string }, { skill, workflow }: RunOptions): Promise<void> {
		const used = skill ?? workflow?.workflow;
		if (!used) return;
		const { name, hash } = used;
		const all = await this.#all(rootDir);
		const found = all.skills.find((one) => one.skill.name === name);
		if (!found) throw notFound(name, all);
		if (!isUsable(found)) throw untrusted(found);
		if (hash === undefined || hash === found.skill.hash) return;
		throw skillRefusal(skillRefusalTexts.changedSinceMessage(name));
	}

	/**
	 * Returns the skill that the model starts. Throws an error with a text for the model if the model may not start the
	 * skill.
	 */
	async startedByModel(rootDir: string, { name, arguments: skillArguments }: Invocation): Promise<UsedSkill> {
		const all = this.#files.mayExist(rootDir) ? await this.#all(rootDir) : { skills: [], problems: [] };
		const found = all.skills.find(({ skill }) => skill.name === name);
		if (!found) throw notFound(name, { ...all, skills: all.skills.filter(isForModel) });
		if (found.skill.disableModelInvocation) throw forPeople(name);
		if (!isUsable(found)) throw untrusted(found);
		return useSkill(found, skillArguments);
	}

	/** Throws if the message starts a skill that only people may start. Called before a model schedules the message. */
	async checkScheduled(rootDir: string, content: string): Promise<void> {
		const requested = invocationIn(content.trim());
		if (!requested || !this.#files.mayExist(rootDir)) return;
		const found = (await this.#all(rootDir)).skills.find(({ skill }) => skill.name === requested.name);
		if (found?.skill.disableModelInvocation) throw forPeople(requested.name);
	}

	/** Returns the skills that the model of a session may start. Reads no skills if the directory cannot have skills. */
	async forModel(rootDir: string): Promise<readonly ListedSkill[]> {
		return (await this.usable(rootDir)).filter(isForModel);
	}

	async #directoryOf(
		principal: Principal,
		{ sessionId, directory }: SkillPlace,
	): Promise<string | undefined> {
		if (sessionId !== undefined) {
			using lease = await this.#options.lease(principal, sessionId, "session.read");
			return lease.session.rootDir;
		}
		if (directory === undefined) return undefined;
		authorize(principal, "skill.trust");
		return realDirectory(directory);
	}

	async #all(rootDir: string | undefined): Promise<SkillList> {
		const { skills, problems } = await this.#files.find(rootDir);
		this.#log(rootDir, problems);
		const changes = await this.#changes.note(skills);
		const own = skills.filter(({ skill }) => skill.source !== "data");
		const trusted = own.length === 0 || rootDir === undefined ? new Map() : await this.#trustedIn(rootDir);
		return {
			skills: skills.map((listed) => {
				const changedAt = listed.skill.source === "data" ? changes.get(listed.path) : undefined;
				return { ...listed, trust: trustOf(listed, trusted), ...defined({ changedAt }) };
			}),
			problems,
			digest: own.length === 0 ? "" : digestOf(own),
		};
	}

	async #trustedIn(directory: string): Promise<ReadonlyMap<string, string>> {
		const rows = await this.#options.store.read((db) =>
			db.selectFrom("trusted_skills").select(["path", "hash"]).where("directory", "=", directory).execute(),
		);
		return new Map(rows.map(({ path, hash }) => [path, hash]));
	}

	/** Logs each problem only once, and again after it has changed. */
	#log(rootDir: string | undefined, problems: readonly SkillProblem[]): void {
		for (const { path, message } of problems) {
			const line = `${rootDir ?? ""} ${path} ${message}`;
			if (this.#logged.has(line)) continue;
			if (this.#logged.size > 1_000) this.#logged.clear();
			this.#logged.add(line);
			this.#options.log.warn(skillReadTexts.logged, { directory: rootDir, path, reason: message });
		}
	}

	async #commit<T>(
		request: Keyed,
		entry: { readonly action: string; readonly object: string; readonly decision: string },
		skills: readonly ListedSkill[],
		work: (tx: Tx) => Promise<T>,
	): Promise<T> {
		const { store, clock, secrets, audit } = this.#options;
		const deps = { clock, fingerprint: (text: string) => secrets.fingerprint(text) };
		const args = { skills: skills.map(({ skill: { name, hash } }) => `${name} ${hash}`) };
		const outcome = await store.commit((tx) =>
			once(tx, request, deps, async () => {
				await audit.record(tx, { ...requestedBy(request.principal), ...entry, args });
				return work(tx);
			}),
		);
		return outcome.response;
	}
}

function isForModel({ skill, trust }: ListedSkill): boolean {
	return !skill.disableModelInvocation && isUsable({ trust });
}

function isUsable({ trust }: { readonly trust: SkillTrust }): boolean {
	return trust === "operator" || trust === "trusted";
}

function trustOf({ skill, path }: SkillOnDisk, trusted: ReadonlyMap<string, string>): SkillTrust {
	if (skill.source === "data") return "operator";
	const hash = trusted.get(path);
	if (hash === undefined) return "untrusted";
	return hash === skill.hash ? "trusted" : "changed";
}

function digestOf(skills: readonly SkillOnDisk[]): string {
	const facts = skills.map(({ path, skill }) => [path, skill.hash]);
	return createHash("sha256").update(JSON.stringify(facts)).digest("hex");
}

async function realDirectory(directory: string): Promise<string> {
	if (!isAbsolute(directory)) throw unusable(skillTrustTexts.notAbsolute(shown(directory)));
	const real = await realpath(directory).catch((cause: unknown) => {
		const { missingDirectory, cannotUse } = skillTrustTexts;
		const named = shown(directory);
		throw unusable(isNotFound(cause) ? missingDirectory(named) : cannotUse(named, fileFault(cause)));
	});
	if ((await stat(real)).isDirectory()) return real;
	throw unusable(skillTrustTexts.noDirectory(shown(directory)));
}

function shown(directory: string): string {
	return JSON.stringify(directory.slice(0, 100));
}

/** Whether the principal may trust skills. Other principals see only the names of skills, not paths. */
function mayFix(principal: Principal): boolean {
	return isAuthorized(principal, "skill.trust");
}

function unusable(message: string): ParleyError {
	return new ParleyError(message, { code: "invalid_argument" });
}
