import { ParleyError } from "@parley/base";
import type { Sandboxes } from "../../vocabulary/sandbox.ts";

/** Whether commands of channels run behind a sandbox that keeps this gateway's own files from them. */
export async function isConfined(sandbox: Sandboxes): Promise<boolean> {
	return (await sandbox.check()).chat === "bubblewrap";
}

/** Throws `failed_precondition` if commands of a channel would run without a sandbox between them and the gateway. */
export async function requireSandbox(sandbox: Sandboxes): Promise<void> {
	if (await isConfined(sandbox)) return;
	const { chat } = await sandbox.check();
	const why =
		chat === "container"
			? "sandbox: container leaves this gateway's own files in the reach of commands; set sandbox: required where " +
				"bubblewrap works, see parley doctor"
			: "there is none here: see parley doctor";
	throw new ParleyError(`a channel is trusted only behind a sandbox, and ${why}`, {
		code: "failed_precondition",
	});
}
