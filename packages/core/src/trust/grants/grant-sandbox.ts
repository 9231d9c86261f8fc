import { ParleyError } from "@parley/base";
import type { Sandboxes } from "../../vocabulary/sandbox.ts";
import { grantEndTexts } from "./texts.ts";

/** Whether commands in channels run in a sandbox that hides this gateway's own files. */
export async function isConfined(sandbox: Sandboxes): Promise<boolean> {
	return (await sandbox.check()).chat === "bubblewrap";
}

/** Throws `failed_precondition` if no sandbox would separate the commands of a channel from the gateway. */
export async function requireSandbox(sandbox: Sandboxes): Promise<void> {
	if (await isConfined(sandbox)) return;
	const { chat } = await sandbox.check();
	const reason = chat === "container" ? grantEndTexts.container : grantEndTexts.withoutSandbox;
	throw new ParleyError(grantEndTexts.needsSandbox(reason), {
		code: "failed_precondition",
	});
}
