import { ParleyError } from "@parley/base";
import type { Sandboxes } from "../../vocabulary/sandbox.ts";
import { grantEndTexts } from "./texts.ts";

/** Whether commands of channels run in a sandbox that hides this gateway's own files. */
export async function isConfined(sandbox: Sandboxes): Promise<boolean> {
	return (await sandbox.check()).chat === "bubblewrap";
}

/** Throws `failed_precondition` if commands of a channel would run without a sandbox between them and the gateway. */
export async function requireSandbox(sandbox: Sandboxes): Promise<void> {
	if (await isConfined(sandbox)) return;
	const { chat } = await sandbox.check();
	const why = chat === "container" ? grantEndTexts.container : grantEndTexts.withoutSandbox;
	throw new ParleyError(grantEndTexts.needsSandbox(why), {
		code: "failed_precondition",
	});
}
