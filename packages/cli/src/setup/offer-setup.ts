import { existsSync } from "node:fs";
import { join } from "node:path";
import { replacePrivateFile } from "@parley/gateway/settings";
import { chosenDataDirectory } from "../command-line/data-directory.ts";
import type { Io } from "../command-line/io.ts";
import { choose } from "../command-line/prompts.ts";
import { readConfig } from "../gateway/run-gateway.ts";
import { setupTexts } from "../texts/setup.ts";
import { setUp } from "./wizard.ts";

/** Files of which at least one exists after a setup, a start or a declined offer. */
const earlier = ["parley.sqlite", "parley.config.json", "api-keys.json", "setup-declined"];

/**
 * Offers the wizard at the first start of a gateway at a terminal, if no key is set. Stores a refusal, so that
 * the offer is not repeated. Resolves with an exit code if the operator leaves or the setup fails, or with
 * undefined if the gateway should start.
 */
export async function offerSetup(given: string | undefined, io: Io): Promise<number | undefined> {
	if (!(io.stdin.isTTY && io.stdout.isTTY)) return undefined;
	const data = await chosenDataDirectory(given, io);
	if (earlier.some((name) => existsSync(join(data, name)))) return undefined;
	const { providerReason } = await readConfig({ data }, io);
	if (providerReason !== "no key") return undefined;
	const options = [
		{ value: "yes", label: setupTexts.offerYes },
		{ value: "no", label: setupTexts.offerNo },
	];
	const answer = await choose({ message: setupTexts.offer, options }, io);
	if (answer === undefined) return 130;
	if (answer === "no") {
		await replacePrivateFile(join(data, "setup-declined"), "");
		return undefined;
	}
	const code = await setUp({ data }, io);
	return code === 0 ? undefined : code;
}
