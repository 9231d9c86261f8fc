import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import { FakeAnthropic } from "../simulators/anthropic/fake-anthropic.ts";
import { says } from "../simulators/anthropic/reply.ts";
import { Screen } from "../terminal/screen.ts";
import { columns, rows, rowsOf } from "./terminal-recording.ts";
import { animation, type Frame } from "./terminal-svg.ts";

/**
 * Home directory in the recording. Has the length of the temporary home directory, so lines wrap in the same
 * places.
 */
const shownHome = "/home/hanna";

/** Plays `parley setup` with the real command and a simulated Claude, and returns the recording as an animated SVG. */
export async function recordSetup(): Promise<string> {
	const home = realpathSync(mkdtempSync("/tmp/"));
	if (home.length !== shownHome.length) throw new Error(`${home} and ${shownHome} have different lengths`);
	const shop = join(home, "shop");
	mkdirSync(shop);
	const claude = await FakeAnthropic.start();
	claude.otherwise(says("ok"));
	const env = { PATH: process.env["PATH"] ?? "", HOME: home };
	const screen = new Screen({ args: ["setup", "--base-url", claude.url], cwd: shop, env });
	try {
		return await play(screen, { home, key: claude.apiKey });
	} finally {
		screen.close();
		await claude.close();
		rmSync(home, { recursive: true, force: true });
	}
}

async function play(
	screen: Screen,
	{ home, key }: { readonly home: string; readonly key: string },
): Promise<string> {
	const frames: Frame[] = [];
	const record = async (seconds: number): Promise<void> => {
		const text = screen.received
			.replaceAll(home, shownHome)
			.replaceAll(/answered in \d\.\d s/g, "answered in 0.9 s");
		frames.push({ seconds, rows: await rowsOf(text) });
	};
	/** Records a question when all its rows are visible, then answers it. */
	const answers = async (question: string, keys: string): Promise<void> => {
		const isComplete = (): boolean =>
			screen.text.includes(`\u25c6  ${question}`) && screen.text.endsWith("\u2514");
		await screen.until(`"${question}" is complete`, isComplete);
		await record(1.8);
		screen.type(keys);
	};
	await answers("Which model should answer?", "\r");
	await answers("API key of anthropic", `${key}\r`);
	await answers("Model:", "\r");
	await answers("Directory of your project", "\r");
	await answers("Where should commands", "\r");
	await answers("Set up Discord now?", "\r");
	await answers("Set up Slack now?", "\r");
	await answers("Start the gateway at boot", "\r");
	await screen.ended();
	await record(5);
	return animation({ title: "Setup of Parley in a terminal", columns, rows, frames });
}
