import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseJson } from "@parley/base";
import { hasBubblewrap } from "@parley/core/testing";
import { expect } from "vitest";
import { OzzieClient } from "./drivers/ozzie-client.ts";
import { TestGateway } from "./gateway.ts";
import { verifiesOn } from "./verifies.ts";

async function sandboxOf(gateway: TestGateway): Promise<Readonly<Record<string, unknown>>> {
	for (;;) {
		const received = parseJson(await (await fetch(`${gateway.url}/api/health?verbose`)).text());
		const { sandbox } = received as { sandbox: Readonly<Record<string, unknown>> };
		if (sandbox["state"] !== "checking") return sandbox;
	}
}

async function notesOf(client: OzzieClient, content: string): Promise<unknown> {
	await client.call("send_message", { content });
	const { payload } = await client.event("prompt.request");
	await client.call("prompt_response", { token: payload["token"], value: true });
	const { context } = payload as { context: { notes: string[] } };
	return context.notes;
}

verifiesOn("ozzie", ["sandbox.health"], "the sandbox is reported as probed", async () => {
	await using gateway = await TestGateway.start({ config: { sandbox: "preferred" } });
	const sandbox = await sandboxOf(gateway);
	expect(sandbox).toMatchObject(
		hasBubblewrap
			? { mode: "preferred", state: "ready", operator: "bubblewrap", chat: "bubblewrap" }
			: { mode: "preferred", state: "unavailable", operator: "off", chat: "none", fix: expect.any(String) },
	);
	if (hasBubblewrap) expect(sandbox["probes"]).toBeGreaterThan(12);
});

verifiesOn("ozzie", ["sandbox.in-approval"], "an approval names the sandbox of the command", async () => {
	await using gateway = await TestGateway.start({ config: { sandbox: "preferred" } });
	await using client = await OzzieClient.connect(gateway.url);
	await client.open();
	const off = "sandbox: off — commands have your permissions: files, network, this gateway";
	const on = "sandbox: bubblewrap — no network, and only files in the roots";
	expect(await notesOf(client, "run: echo hi")).toContain(hasBubblewrap ? on : off);
	await client.event("assistant.message");
	const network = 'tool: run_command {"cmd": "echo hi", "network": true}';
	expect(await notesOf(client, network)).toContain(off);
});

verifiesOn("ozzie", ["sandbox.no-self-approval"], "a command cannot answer for a person", async () => {
	await using gateway = await TestGateway.start({ config: { sandbox: "required", auth: "local" } });
	await using client = await OzzieClient.connect(gateway.url);
	await client.open();
	const { port } = new URL(gateway.url);
	const data = gateway.path("data");
	const tries = [
		`(exec 9<>/dev/tcp/127.0.0.1/${port}) && echo connected`,
		`cat ${data}/tokens/operator ${data}/* && echo all read`,
		`ls ${data} && echo x >${data}/parley.sqlite && echo written`,
		`ls -R ${data} | grep . && echo seen`,
	];
	await writeFile(join(gateway.path("work"), "try.sh"), tries.map((line) => `( ${line} ) 2>&1`).join("\n"));
	await client.call("accept_all_tools");
	await client.call("send_message", { content: "run: bash try.sh; echo the end" });
	const { payload } = await client.event("assistant.message", {});
	const payloadText = JSON.stringify(payload);
	// Without bubblewrap, the command does not run.
	expect(payloadText).toContain(hasBubblewrap ? "the end" : "there is none");
	expect(payloadText).not.toMatch(/connected|all read|written|seen|gw_operator/);
});
