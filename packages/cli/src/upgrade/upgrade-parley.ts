import { accessSync, constants, existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { noFailpoints, ParleyError, parseFailpoints } from "@parley/base";
import { defined, definedItems } from "@parley/base/defined";
import { confirms } from "../command-line/confirms.ts";
import { chosenDataDirectory } from "../command-line/data-directory.ts";
import type { Io } from "../command-line/io.ts";
import { printJson, printRows } from "../command-line/output.ts";
import { progressLine } from "../command-line/progress-line.ts";
import { noConfirmation, UsageError } from "../command-line/usage.ts";
import { findInstallation, type Installation } from "../installation/installation.ts";
import { visibleLine } from "../text/visible.ts";
import { upgradeTexts as texts, upgradeErrors } from "../texts/upgrade.ts";
import { checkElsewhere, checkRights, type FoundData, findData, type Surroundings } from "./gateways.ts";
import { findOffer, type Offer } from "./new-package.ts";
import { readLinks } from "./package-links.ts";
import { Upgrade, type UpgradeParts, type UpgradeResult } from "./run-upgrade.ts";
import { findJournal, type UpgradeJournal } from "./upgrade-journal.ts";
import { lockWork, unlockWork } from "./upgrade-lock.ts";

export interface UpgradeFlags {
	/** Version, tag or path of the new package. */
	readonly to?: string;
	readonly check?: boolean;
	readonly yes?: boolean;
	readonly json?: boolean;
	readonly data?: string;
	/** Directory for copies of the data. */
	readonly copies?: string;
	/** Points at which a test can stop the process. */
	readonly testHooks?: string;
}

interface Plan {
	readonly journal: UpgradeJournal;
	readonly offer: Offer;
	readonly found: readonly FoundData[];
}

/** Upgrades this installation, or finishes or rolls back an interrupted upgrade. Returns the exit code. */
export async function upgradeParley(flags: UpgradeFlags, around: Surroundings): Promise<number> {
	const { io } = around;
	const installation = findInstallation();
	const interrupted = await findJournal(installation);
	if (interrupted) return await finish(interrupted, flags, around);
	const plan = await makePlan(flags, { ...installation, prefix: checkedPrefix(installation) }, around);
	const { offer, found, journal } = plan;
	if (offer.version === journal.from) {
		return print({ result: "current", version: journal.from }, [texts.current(installation)], flags, io);
	}
	if (flags.check) return print(planFacts(plan), planRows(plan), flags, io);
	checkWritable(journal);
	checkRights(found, around.machine);
	await checkElsewhere(found, installation);
	if (!(await isConfirmed(plan, flags, io)))
		return print({ result: "declined" }, [texts.declined], flags, io);
	const lock = lockWork(journal);
	try {
		const isSame = findInstallation().version === journal.from && !(await findJournal(installation));
		if (!isSame) throw refused(upgradeErrors.busy);
		const result = await perform(journal, { flags, around, found }, (upgrade) => upgrade.run(offer));
		return report(result, texts.upgraded(journal), flags, io);
	} finally {
		await unlockWork(lock, journal);
	}
}

/** Finishes or rolls back an interrupted upgrade. */
async function finish(found: UpgradeJournal, flags: UpgradeFlags, around: Surroundings): Promise<number> {
	if (flags.check) throw refused(upgradeErrors.interrupted(found));
	const lock = lockWork(found);
	try {
		// Another process may have completed the upgrade in the meantime.
		const journal = await findJournal(findInstallation());
		if (!journal) throw refused(upgradeErrors.busy);
		const result = await perform(journal, { flags, around, found: [] }, (upgrade) => upgrade.resume());
		return report(result, texts.completed(journal), flags, around.io);
	} finally {
		await unlockWork(lock, found);
	}
}

/** Returns the npm prefix of the installation. Throws for a copy that npm cannot replace. */
function checkedPrefix({ kind, home, name, prefix }: Installation): string {
	if (prefix !== undefined && existsSync(join(prefix, "container-health.mjs"))) {
		throw refused(upgradeErrors.container);
	}
	if (kind === "clone") throw refused(upgradeErrors.clone({ home: dirname(dirname(home)) }));
	if (kind === "npx") throw refused(upgradeErrors.npx({ home }));
	if (kind === "project" || prefix === undefined) throw refused(upgradeErrors.project({ home, name }));
	return prefix;
}

function checkWritable({ home, prefix }: UpgradeJournal): void {
	for (const directory of [dirname(home), join(prefix, "bin")]) {
		if (!isWritable(directory)) throw refused(upgradeErrors.notWritable({ directory }));
	}
}

function isWritable(directory: string): boolean {
	try {
		accessSync(directory, constants.W_OK);
		return true;
	} catch {
		return false;
	}
}

async function makePlan(
	{ to, data }: UpgradeFlags,
	installation: Installation & { readonly prefix: string },
	{ io, machine }: Surroundings,
): Promise<Plan> {
	const { name, version, home, prefix } = installation;
	const found = await findData(await chosenDataDirectory(data, io), installation, machine);
	const progress = progressLine(io);
	progress.show(texts.steps.searching);
	const offer = await findOffer({ to, name, cwd: io.cwd }, machine).finally(progress.end);
	const journal: UpgradeJournal = {
		format: 1,
		phase: "staging",
		from: version,
		to: offer.version,
		home,
		prefix,
		name,
		links: await readLinks(prefix, home),
		upgraded: found.map(({ data: directory, services, command }) =>
			defined({
				data: directory,
				services: services.map((service) => ({ name: service.name, scope: service.manager.scope })),
				program: command && {
					options: command.options,
					args: command.args,
					directory: command.directory,
				},
			}),
		),
	};
	return { journal, offer, found };
}

function planFacts({ journal, found }: Plan): object {
	return {
		result: "available",
		from: journal.from,
		to: journal.to,
		data: found.map(({ data, services, gateway }) => ({
			data,
			services: services.map(({ file }) => file),
			pid: gateway?.pid ?? null,
		})),
	};
}

function planRows({ journal, found }: Plan): string[] {
	return [
		texts.available(journal),
		...found.flatMap(({ data, services, gateway }) =>
			definedItems([
				...services.map((service) => texts.wouldStop({ what: texts.service(service) })),
				gateway ? texts.wouldStop({ what: texts.gateway({ pid: gateway.pid, data }) }) : undefined,
				texts.wouldSave({ data }),
			]),
		),
	];
}

async function isConfirmed(plan: Plan, { yes }: UpgradeFlags, io: Io): Promise<boolean> {
	if (yes) return true;
	if (!(io.stdin.isTTY && io.stderr.isTTY)) throw new UsageError(noConfirmation);
	io.stderr.write(
		planRows(plan)
			.map((row) => `${visibleLine(row)}\n`)
			.join(""),
	);
	return await confirms(texts.confirm(plan.journal), io);
}

interface Performing {
	readonly flags: UpgradeFlags;
	readonly around: Surroundings;
	readonly found: readonly FoundData[];
}

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

function ignore(): void {}

/**
 * Runs `work` with an upgrade for this journal. A signal starts a rollback at the next failpoint, except in the phase
 * `finished`. A rollback ignores further signals.
 */
async function perform(
	journal: UpgradeJournal,
	{ flags, around, found }: Performing,
	work: (upgrade: Upgrade) => Promise<UpgradeResult>,
): Promise<UpgradeResult> {
	const { io } = around;
	const stopping = new AbortController();
	const stop = (): void => {
		stopping.abort(refused(texts.interrupted));
		io.stderr.write(`${texts.waitForRollback}\n`);
	};
	for (const signal of signals) process.on(signal, stop);
	// If the terminal has closed, the failed writes must not end a rollback.
	io.stderr.on("error", ignore);
	const progress = progressLine(io);
	const environments = new Map(
		found.flatMap(({ data, command }) => (command ? [[data, command.environment] as const] : [])),
	);
	const parts: UpgradeParts = {
		...around,
		failpoints: flags.testHooks === undefined ? noFailpoints : parseFailpoints(flags.testHooks),
		signal: stopping.signal,
		environments,
		copies: flags.copies === undefined ? undefined : resolve(io.cwd, flags.copies),
		show: progress.show,
	};
	try {
		const result = await work(new Upgrade(journal, parts));
		const silent = found.filter(({ gateway, command }) => gateway && !command);
		const notes = silent.map(({ data }) => texts.startYourself({ data }));
		return { ...result, notes: [...result.notes, ...notes] };
	} catch (cause) {
		const { message: reason, code } = ParleyError.from(cause);
		throw new ParleyError(upgradeErrors.unfinished({ reason }), { code, cause });
	} finally {
		progress.end();
		for (const signal of signals) process.off(signal, stop);
		io.stderr.off("error", ignore);
	}
}

function report(
	{ journal, gateways, failure, notes }: UpgradeResult,
	success: string,
	flags: UpgradeFlags,
	io: Io,
): number {
	const { from, to } = journal;
	const copies = journal.upgraded.flatMap(({ data, copy }) =>
		copy === undefined ? [] : [{ data, file: copy }],
	);
	const facts = {
		result: failure === undefined ? "upgraded" : "rolled_back",
		from,
		to,
		copies,
		gateways: gateways.map(({ pid, urls, version }) => ({ pid, urls, version })),
		notes,
		reason: failure ?? null,
	};
	const rows = [
		...definedItems([failure === undefined ? success : undefined]),
		...copies.map(texts.saved),
		...gateways.map(({ urls }) => texts.running({ urls: urls.join(", ") })),
		...notes.map((note) => texts.note({ note })),
	];
	print(facts, rows, flags, io);
	if (failure === undefined) return 0;
	io.stderr.write(`parley: ${visibleLine(texts.rolledBack({ ...journal, reason: failure }))}\n`);
	return 1;
}

function print(facts: object, rows: readonly string[], { json }: UpgradeFlags, io: Io): number {
	if (json) printJson(facts, io);
	else printRows(rows.map(visibleLine), io);
	return 0;
}

function refused(message: string): ParleyError {
	return new ParleyError(message, { code: "failed_precondition" });
}
