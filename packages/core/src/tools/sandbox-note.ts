import type { Sandbox } from "../sandbox.ts";
import type { ActionClass } from "../tool.ts";

/** What a command can do where it runs, for people who decide about it. */
export function sandboxNote({ mode, hosts }: Pick<Sandbox, "mode" | "hosts">): string {
	if (mode === "off") {
		return "sandbox: off — it has your own rights: files, network and this gateway";
	}
	if (mode === "container") {
		return "sandbox: container — all that the gateway's container holds, this gateway and the network too";
	}
	const network = hosts ? `of the network only ${hosts.join(", ")} by https` : "no network";
	return `sandbox: ${mode} — ${network}, and of files only the roots`;
}

/** The classes of a command by what confines it. */
export function execClasses({ mode }: Pick<Sandbox, "mode">): ActionClass[] {
	if (mode === "container") return ["exec-sandboxed", "egress"];
	return [mode === "off" ? "exec-unsandboxed" : "exec-sandboxed"];
}
