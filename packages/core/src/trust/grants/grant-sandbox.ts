import { ParleyError } from "@parley/base";
import type { Sandboxes } from "../../vocabulary/sandbox.ts";

/** Whether commands of channels run in a sandbox that hides this gateway's own files. */
export async function isConfined(sandbox: Sandboxes): Promise<boolean> {
	return (await sandbox.check()).chat === "bubblewrap";
}

/** Throws `failed_precondition` if commands of a channel would run without a sandbox between them and the gateway. */
export async function requireSandbox(sandbox: Sandboxes): Promise<void> {
	if (await isConfined(sandbox)) return;
	const { chat } = await sandbox.check();
	const why =
		chat === "container"
			? "with sandbox: container, commands can reach this gateway's own files; set sandbox: required if " +
				"bubblewrap works (see parley doctor)"
			: "this gateway has no sandbox: see parley doctor";
	throw new ParleyError(`a channel can be trusted only with a sandbox, and ${why}`, {
		code: "failed_precondition",
	});
}
