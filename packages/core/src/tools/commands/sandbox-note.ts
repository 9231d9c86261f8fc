import type { ActionClass } from "../../vocabulary/action-class.ts";
import type { Sandbox } from "../../vocabulary/sandbox.ts";

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
export function execClasses({ mode, exposed = false }: Pick<Sandbox, "mode" | "exposed">): ActionClass[] {
	const exec = mode === "off" || exposed ? "exec-unsandboxed" : "exec-sandboxed";
	return mode === "container" ? [exec, "egress"] : [exec];
}
