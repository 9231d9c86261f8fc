import { rm } from "node:fs/promises";
import { type Failpoints, ParleyError } from "@parley/base";
import { defined } from "@parley/base/defined";
import { findRunningGateway, type RunningGateway } from "../client/running-gateway.ts";
import type { RunningCommand } from "../installation/running-command.ts";
import { upgradeErrors, upgradeTexts } from "../texts/upgrade.ts";
import { type Surroundings, startOne, stopAll } from "./gateways.ts";
import { type Offer, stagePackage } from "./new-package.ts";
import { restorePackage, swapPackage } from "./swap-package.ts";
import { type Phase, placesOf, removeJournal, type UpgradeJournal, writeJournal } from "./upgrade-journal.ts";
import { copyData, failedChecks, lockAll, makeCopies, migrateWith, restoreData } from "./upgraded-data.ts";

const { steps } = upgradeTexts;

export interface UpgradeParts extends Surroundings {
	readonly failpoints: Failpoints;
	/** Signal that aborts the upgrade when the operator ends the command. */
	readonly signal: AbortSignal;
	readonly environments: ReadonlyMap<string, RunningCommand["environment"]>;
	/** Directory for copies of the data. If undefined, a directory next to the data is used. */
	readonly copies: string | undefined;
	show(doing: string): void;
}

/** Result of an upgrade, or of a rollback. */
export interface UpgradeResult {
	readonly journal: UpgradeJournal;
	readonly gateways: readonly RunningGateway[];
	/** Reason for the rollback. Absent after a successful upgrade. */
	readonly failure?: string;
	readonly notes: readonly string[];
}

/** One upgrade. It stores each phase before the phase begins. */
export class Upgrade {
	readonly #parts: UpgradeParts;
	#journal: UpgradeJournal;

	constructor(journal: UpgradeJournal, parts: UpgradeParts) {
		this.#journal = journal;
		this.#parts = parts;
	}

	/** Upgrades to the offered version. After a failure, restores the old version and the old data. */
	run(offer: Offer): Promise<UpgradeResult> {
		return this.#orBack(async () => {
			await this.#replace(offer);
			return await this.#start();
		});
	}

	/**
	 * Resumes an interrupted upgrade. Continues in the phases `starting` and `finished`, and rolls back in all
	 * other phases.
	 */
	resume(): Promise<UpgradeResult> {
		const { phase } = this.#journal;
		if (phase === "finished") return this.#finish([]);
		if (phase === "starting") return this.#orBack(() => this.#start());
		return this.#back(upgradeTexts.interrupted);
	}

	async #orBack(work: () => Promise<readonly RunningGateway[]>): Promise<UpgradeResult> {
		let gateways: readonly RunningGateway[];
		try {
			gateways = await work();
		} catch (error) {
			const { signal } = this.#parts;
			return await this.#back(signal.aborted ? upgradeTexts.interrupted : ParleyError.from(error).message);
		}
		// The new version is running. If a later step fails, a later command completes the upgrade.
		await this.#begin("finished");
		return await this.#finish(gateways);
	}

	async #replace(offer: Offer): Promise<void> {
		const { machine, show, failpoints, copies } = this.#parts;
		// Removes files of an upgrade that was killed during its last step.
		await this.#discard();
		await this.#begin("staging");
		for (const one of this.#journal.upgraded) await makeCopies(one, copies);
		show(steps.installing);
		await stagePackage(this.#journal, offer, this.#parts);
		await this.#reach("upgrade.staged");
		await this.#begin("stopping");
		show(steps.stopping);
		await stopAll(this.#journal.upgraded, machine);
		await this.#reach("upgrade.stopped");
		const lock = await lockAll(this.#journal.upgraded);
		try {
			show(steps.copying);
			const upgraded = [];
			for (const one of this.#journal.upgraded) {
				upgraded.push(defined({ ...one, copy: await copyData(one, this.#journal, copies) }));
			}
			this.#journal = { ...this.#journal, upgraded };
			await this.#reach("upgrade.copied");
			await this.#begin("swapping");
			await swapPackage(this.#journal, failpoints);
		} finally {
			lock.release();
		}
		await this.#begin("starting");
	}

	async #start(): Promise<RunningGateway[]> {
		const { machine, show } = this.#parts;
		const { home, upgraded, to } = this.#journal;
		show(steps.migrating);
		for (const one of upgraded) {
			// If an interrupted upgrade has already started a gateway, the gateway has migrated its data.
			const running = await findRunningGateway(one.data);
			if (running?.version !== to) await migrateWith(home, one, machine);
		}
		await this.#reach("upgrade.migrated");
		show(steps.starting);
		const gateways: RunningGateway[] = [];
		for (const one of upgraded) {
			const gateway = await startOne(one, this.#starting());
			if (!gateway) continue;
			const { data } = one;
			if (gateway.version !== to) {
				const message = upgradeErrors.wrongVersion({ data, found: gateway.version });
				throw new ParleyError(message, { code: "failed_precondition" });
			}
			gateways.push(gateway);
		}
		await this.#reach("upgrade.started");
		return gateways;
	}

	async #finish(gateways: readonly RunningGateway[]): Promise<UpgradeResult> {
		const { home, upgraded } = this.#journal;
		const { machine } = this.#parts;
		const notes: string[] = [];
		for (const { data } of upgraded) notes.push(...(await failedChecks(home, data, machine)));
		await this.#discard();
		return { journal: this.#journal, gateways, notes };
	}

	/** Rolls back the upgrade. Undoes only the phases that have begun. */
	async #back(failure: string): Promise<UpgradeResult> {
		const { machine, show, failpoints } = this.#parts;
		// Without this phase, a command that resumes after a kill would mistake the old package for the new package.
		if (this.#journal.phase === "starting") await this.#begin("restoring");
		const { phase, upgraded } = this.#journal;
		const notes: string[] = [];
		show(steps.restoring);
		if (phase === "restoring") {
			await stopAll(upgraded, machine);
			for (const one of upgraded) {
				const directory = await restoreData(one);
				if (directory !== undefined) notes.push(upgradeTexts.aside({ directory }));
			}
			await failpoints.reach("rollback.data");
		}
		if (phase === "restoring" || phase === "swapping") {
			await restorePackage(this.#journal, failpoints);
			await this.#begin("restored");
		}
		const gateways: RunningGateway[] = [];
		for (const one of phase === "staging" ? [] : upgraded) {
			const gateway = await startOne(one, this.#starting()).catch((error: unknown) => {
				const { message: reason } = ParleyError.from(error);
				notes.push(upgradeTexts.startFailed({ data: one.data, reason }));
				return undefined;
			});
			if (gateway) gateways.push(gateway);
		}
		await failpoints.reach("rollback.started");
		await this.#discard();
		return { journal: this.#journal, gateways, failure, notes };
	}

	#starting() {
		const { machine, io, environments } = this.#parts;
		return { machine, io, environments, program: `${this.#journal.home}/bin/parley.mjs` };
	}

	/**
	 * Begins a phase. Writes the journal first: if the write fails, for example on a full disk, the phase stays
	 * unchanged.
	 */
	async #begin(phase: Phase): Promise<void> {
		const journal = { ...this.#journal, phase };
		await writeJournal(journal);
		this.#journal = journal;
		await this.#reach(`upgrade.${phase}`);
	}

	/**
	 * Marks a point at which a test can end the process. Also throws after the operator's signal, except during a
	 * rollback and in the phase `finished`.
	 */
	async #reach(name: string): Promise<void> {
		const { failpoints, signal } = this.#parts;
		await failpoints.reach(name);
		if (signal.aborted && !["restoring", "restored", "finished"].includes(this.#journal.phase))
			signal.throwIfAborted();
	}

	/**
	 * Removes the files of the upgrade, and the journal last, so that a later command can complete the removal
	 * after a kill. The lock of the directory stays.
	 */
	async #discard(): Promise<void> {
		const { stage, old } = placesOf(this.#journal);
		for (const path of [old, stage]) await rm(path, { recursive: true, force: true, maxRetries: 3 });
		await removeJournal(this.#journal);
	}
}
