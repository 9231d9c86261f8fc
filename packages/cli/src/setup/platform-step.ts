import { systemClock } from "@parley/base";
import { storeKeys } from "@parley/gateway/settings";
import { printNotice } from "../command-line/output.ts";
import { askSecret, choose } from "../command-line/prompts.ts";
import { withStoredKeys } from "../command-line/stored-keys.ts";
import { setUpDiscord } from "../connectors/examine-discord.ts";
import { setUpSlack } from "../connectors/examine-slack.ts";
import { ensureGateway } from "../gateway/background-gateway.ts";
import { discord, type Platform, slack } from "../gateway/platform.ts";
import { setupTexts } from "../texts/setup.ts";
import type { StepParts, StepResult } from "./setup-flags.ts";
import { startDirectory } from "./start-directory.ts";

const platforms = {
	discord: { platform: discord, tokens: ["DISCORD_TOKEN"], setUp: setUpDiscord },
	slack: { platform: slack, tokens: ["SLACK_BOT_TOKEN", "SLACK_APP_TOKEN"], setUp: setUpSlack },
} as const;

/**
 * Stores the tokens of a chat platform, if the operator wants the platform. If the step may ask questions and finds a
 * start directory, also starts a gateway and runs the platform's own setup.
 */
export async function setUpPlatform(name: Platform["name"], parts: StepParts): Promise<StepResult> {
	const { platform, tokens, setUp } = platforms[name];
	const { flags, io, data, asks } = parts;
	const isRequested = flags[name] ?? (asks ? await askConnection(platform, parts) : false);
	if (isRequested === undefined) return "left";
	if (!isRequested) return [setupTexts.results.skipped];
	for (const variable of tokens) {
		const token = await tokenOf(variable, parts);
		if (token === undefined) return "left";
		if (token === "") continue;
		await storeKeys({ [variable]: token }, { data, clock: systemClock });
		printNotice(setupTexts.tokenStored({ variable }), io);
	}
	const own = await withStoredKeys(io, data);
	// The last step of the platform's setup waits for a person's message, so it needs a person.
	if (!asks) {
		printNotice(setupTexts.platformLater({ name }), io);
		return [setupTexts.results.tokens];
	}
	const directory = await startDirectory(data, io);
	if (directory === undefined) {
		printNotice(setupTexts.platformLater({ name }), io);
		return [setupTexts.results.tokens];
	}
	await ensureGateway({ data, directory, io });
	const code = await setUp({ data }, own);
	if (code === 130) return "left";
	if (code === 0) return [setupTexts.results.connected];
	printNotice(setupTexts.platformLater({ name }), io);
	return [setupTexts.results.tokens];
}

async function askConnection({ title }: Platform, { io }: StepParts): Promise<boolean | undefined> {
	const options = [
		{ value: "no", label: setupTexts.skip },
		{ value: "yes", label: setupTexts.connect },
	];
	const answer = await choose({ message: setupTexts.platform({ title }), options }, io);
	return answer === undefined ? undefined : answer === "yes";
}

/** Resolves with the token, with "" if there is no token, or with undefined if the operator leaves. */
async function tokenOf(variable: string, { io, asks }: StepParts): Promise<string | undefined> {
	const found = io.environment[variable]?.trim();
	if (found || !asks) return found ?? "";
	return (await askSecret({ message: setupTexts.token({ variable }) }, io))?.trim();
}
