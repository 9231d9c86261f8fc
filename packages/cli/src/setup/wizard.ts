import { findRunningGateway } from "../client/running-gateway.ts";
import { chosenDataDirectory } from "../command-line/data-directory.ts";
import type { Io } from "../command-line/io.ts";
import { outputFormat, printNotice, printRows } from "../command-line/output.ts";
import { UsageError } from "../command-line/usage.ts";
import { servicesOf } from "../service/find-service.ts";
import { alignColumns } from "../text/columns.ts";
import { createStyles, usesColours } from "../text/styles.ts";
import { visibleLine } from "../text/visible.ts";
import { widthOf, wrapText } from "../text/wrap.ts";
import { setupTexts } from "../texts/setup.ts";
import { setUpDirectory } from "./directory-step.ts";
import { setUpModel } from "./model-step.ts";
import { setUpPlatform } from "./platform-step.ts";
import { setUpService } from "./service-step.ts";
import type { SetupFlags, StepParts, StepResult } from "./setup-flags.ts";
import { endState, type Results, readState, type Step, steps, writeState } from "./setup-state.ts";

const work: Readonly<Record<Step, (parts: StepParts) => Promise<StepResult>>> = {
	model: setUpModel,
	directory: setUpDirectory,
	discord: (parts) => setUpPlatform("discord", parts),
	slack: (parts) => setUpPlatform("slack", parts),
	service: setUpService,
};

const leftExitCode = 130;

/**
 * Runs the steps of the setup, and returns the exit code. Without `--only` and `--yes`, stores each completed step, so
 * that the next call continues after it.
 */
export async function setUp(flags: SetupFlags, io: Io): Promise<number> {
	const asks = flags.yes !== true;
	if (asks && !(io.stdin.isTTY && io.stdout.isTTY)) throw new UsageError(setupTexts.needsTerminal);
	const chosen = (flags.only ?? steps).map(readStep);
	const data = await chosenDataDirectory(flags.data, io);
	const running = await findRunningGateway(data);
	const results = await runSteps(chosen, { flags, io, data, asks });
	if (results === "left") return leftExitCode;
	const { thisMachine } = await import("../service/machine.ts");
	const services = await servicesOf(data, thisMachine(io));
	printSummary(results, services.length > 0, io);
	// A gateway with another process id was started during the setup, so it has the new settings.
	const isSame = running !== undefined && (await findRunningGateway(data))?.pid === running.pid;
	if (isSame) printNotice(setupTexts.restartGateway, io);
	return 0;
}

async function runSteps(chosen: readonly Step[], parts: StepParts): Promise<Results | "left"> {
	const { flags, io, data, asks } = parts;
	// A setup with chosen steps or without questions stores no state.
	const isStored = flags.only === undefined && asks;
	let results: Results = isStored && flags.restart !== true ? await readState(data) : {};
	if (asks) greet(results, io);
	for (const step of chosen) {
		if (results[step]) continue;
		const result = await runStep(step, parts);
		if (result === "left") return "left";
		results = { ...results, [step]: result };
		if (isStored) await writeState(data, results);
	}
	if (isStored) await endState(data);
	return results;
}

async function runStep(step: Step, parts: StepParts): Promise<StepResult> {
	const { io, asks } = parts;
	const title = setupTexts.steps[step];
	if (asks) printRows(["", heading(title, io)], io);
	const result = await work[step](parts);
	if (result === "left") printNotice(`\n${setupTexts.left({ step: title })}`, io);
	return result;
}

function readStep(name: string): Step {
	const step = steps.find((one) => one === name);
	if (step) return step;
	throw new UsageError(setupTexts.unknownStep({ step: name }));
}

function greet(results: Results, io: Io): void {
	printNotice(setupTexts.welcome, io);
	const done = steps.filter((step) => results[step]).map((step) => setupTexts.steps[step]);
	if (done.length > 0) printNotice(setupTexts.resumes({ steps: done.join(", ") }), io);
}

function heading(text: string, { stdout, environment }: Io): string {
	return createStyles(usesColours(stdout, environment)).bold(text);
}

function printSummary(results: Results, hasService: boolean, io: Io): void {
	const { columns } = outputFormat(io);
	const next = setupTexts.next({ command: setupTexts.nextElsewhere });
	const wasRefused = results.service?.includes(setupTexts.results.noService);
	const more = hasService || wasRefused ? [] : [setupTexts.withMachine];
	const rows = summaryRows(results, columns);
	printRows(["", heading(setupTexts.summary, io), ...rows, "", next, ...more], io);
}

/** Returns the results beside the titles of their steps, or below the titles if the terminal is too narrow. */
function summaryRows(results: Results, columns: number): string[] {
	const done = steps.flatMap((step) => {
		const lines = results[step]?.map(visibleLine);
		return lines ? [{ title: setupTexts.steps[step], lines }] : [];
	});
	const table = alignColumns(
		done.flatMap(({ title, lines }) => lines.map((line, at) => [at === 0 ? title : "", line])),
	).map((row) => `  ${row}`);
	if (table.every((row) => widthOf(row) <= columns)) return table;
	return done.flatMap(({ title, lines }) =>
		[`  ${title}`, ...lines.map((line) => `    ${line}`)].flatMap((row) => wrapText(row, columns)),
	);
}
